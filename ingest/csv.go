package ingest

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/dataset"
)

// CSV gives the rows of CSV files as structs of type T. It follows RFC 4180 as [encoding/csv] does, but keeps \r\n in
// quotes as it stands. The first line of each file is its header, which names the columns; a file without one is an
// error. The files may differ in their columns. A field of T is the column of its name, or of its tag:
//
//	type Trip struct {
//		City  string    `csv:"pickup_city"`
//		Miles float64   `csv:"distance,optional"` // 0 if it is empty or the column is missing
//		At    time.Time // any encoding.TextUnmarshaler
//	}
//
// Columns may be strings, []byte, numbers, bool, and types with UnmarshalText. Columns that T does not have are
// skipped. A missing or doubled column is an error of Open. These are errors of the row: a value that does not fit,
// quotes out of place, a control character other than a tab outside of quotes, and another number of fields than in the
// header. Empty lines are skipped. The caller owns T.
//
// Rows are found exactly wherever a file is cut, whatever is in quotes. For files that several ranks read, Open makes
// each rank scan its share for quotes and ends of lines, to find the state at the beginning of the next share. So these
// shares are read twice; LineRows avoids that.
func CSV[T any](opts ...CSVOption) Format[T] {
	return Format[T]{"csv", func(in *input) (reader[T], error) {
		columns, err := dataset.Columns(reflect.TypeFor[T]())
		if err != nil {
			return nil, err
		}
		c := &csvReader[T]{csvFiles: csvFiles{input: in, columns: columns}, made: new(T)}
		c.row, c.of = c.decode, reflect.ValueOf(c.made).Elem()
		return c, c.set(opts)
	}}
}

// Rows gives the rows of CSV files as CSV does, but as slices of fields: all fields, or those of Columns in their
// order. A row and its fields are valid until the next row; the caller may change them. A row costs no allocation.
func Rows(opts ...CSVOption) Format[[][]byte] {
	return Format[[][]byte]{"csv", func(in *input) (reader[[][]byte], error) {
		c := &csvReader[[][]byte]{csvFiles: csvFiles{input: in}}
		c.row = c.pick
		return c, c.set(opts)
	}}
}

// A CSVOption describes the form of a CSV file.
type CSVOption interface{ apply(*csvOptions) }

type csvOption func(*csvOptions)

func (o csvOption) apply(to *csvOptions) { o(to) }

type csvOptions struct {
	dialect
	header, lineRows bool
	names            []string
	every            *[]string // gets the names of all columns
}

// Comma separates fields by another character than a comma: '\t' for TSV files.
func Comma(separator byte) CSVOption { return csvOption(func(o *csvOptions) { o.comma = separator }) }

// NoQuotes makes quotes ordinary characters, as in most TSV files. Then a row is a line.
func NoQuotes() CSVOption {
	return csvOption(func(o *csvOptions) { o.quotes, o.lineRows = false, true })
}

// NoHeader means that the first row is data. Then the fields of a struct are the columns in order.
func NoHeader() CSVOption { return csvOption(func(o *csvOptions) { o.header = false }) }

// LineRows promises that each row is one line, although fields may be in quotes. Then Open need not scan the files that
// several ranks share. If a row breaks the promise, its lines are rows that cannot be read.
func LineRows() CSVOption { return csvOption(func(o *csvOptions) { o.lineRows = true }) }

// Columns selects columns of Rows by their names in the header, in the given order.
func Columns(names ...string) CSVOption { return csvOption(func(o *csvOptions) { o.names = names }) }

// AllColumns makes Rows give all columns of the first file's header, in its order, wherever they are in other files.
// Open sets names to their names.
func AllColumns(names *[]string) CSVOption { return csvOption(func(o *csvOptions) { o.every = names }) }

// csvReader reads CSV files for one source.
type csvReader[T any] struct {
	csvFiles
	fields [][]byte
	picked [][]byte
	row    func(l layout, fields [][]byte) (T, error)
	made   *T            // the struct that is being filled
	of     reflect.Value // the value of made
}

func (c *csvReader[T]) finder() finder { return nil }

func (c *csvReader[T]) read(p piece, yield func(T) bool) error {
	l, s, header := c.layouts[p.file], c.begins[p], c.header && p.from == 0
	return c.readStream(p, func(p *part) error {
		if p.piece.from > 0 && !c.firstRow(p, s) {
			return p.ended()
		}
		return p.rows(c.rowDialect(), func(row []byte, quotes bool) error {
			if header || len(row) == 0 {
				header = false
				return nil
			}
			v, err := c.parse(l, row, quotes)
			if err != nil {
				return p.bad(err)
			}
			if p.Rows++; !yield(v) {
				return errStop
			}
			return nil
		})
	})
}

// firstRow moves to the first row that begins in a piece.
func (c *csvReader[T]) firstRow(p *part, s state) bool {
	if c.lineRows {
		return p.skipLine()
	}
	return p.skipRow(c.dialect, s, func() bool { return !p.begins() })
}

// parse decodes a row.
func (c *csvReader[T]) parse(l layout, row []byte, quotes bool) (v T, err error) {
	if c.fields, err = c.fieldsOf(row, quotes, c.fields[:0]); err != nil {
		return v, err
	}
	if len(c.fields) != l.width {
		return v, fmt.Errorf("the row has %d fields, the header has %d", len(c.fields), l.width)
	}
	return c.row(l, c.fields)
}

// decode makes a struct from the fields of a row.
func (c *csvReader[T]) decode(l layout, fields [][]byte) (v T, err error) {
	*c.made = v // which is zero
	for i := range c.columns {
		at := l.at[i]
		if at < 0 {
			continue
		}
		if err := c.columns[i].Set(c.of, fields[at]); err != nil {
			return v, err
		}
	}
	return *c.made, nil
}

// pick selects the wanted fields of a row.
func (c *csvReader[T]) pick(l layout, fields [][]byte) ([][]byte, error) {
	if l.at == nil {
		return fields, nil
	}
	c.picked = c.picked[:0]
	for _, at := range l.at {
		c.picked = append(c.picked, fields[at])
	}
	return c.picked, nil
}
