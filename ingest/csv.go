package ingest

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/dataset"
)

// CSV gives the rows of CSV files (RFC 4180, as [encoding/csv] reads them, but with \r\n in quotes as it stands) as
// structs of type T. The header, which is each file's first line, says which column is which; files may differ in their
// columns, and one without it is an error. A field of T is the column of its name, or of its tag:
//
//	type Trip struct {
//		City  string    `csv:"pickup_city"`
//		Miles float64   `csv:"distance,optional"` // 0 where it is empty, or no such column is there
//		At    time.Time // any encoding.TextUnmarshaler
//	}
//
// Strings, []byte, numbers, bool and what has UnmarshalText are columns. Columns that T does not have are skipped. A
// missing or doubled column is an error of Open; a value that does not fit, quotes out of place, a control character
// other than a tab outside of quotes, and a row with more or fewer fields than the header are errors of the row. Empty
// lines are skipped. T is the caller's to keep.
//
// Which bytes begin a row is exact wherever a file is cut, whatever is in quotes: before the first row is given, Open
// has each rank pass over its share of files that several ranks read, and find out what it makes of a quote. That reads
// these shares twice, the first time to look for quotes and ends of lines alone; LineRows spares it.
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

// Rows gives the rows of CSV files as CSV does, but as the fields themselves: all of them, or those of Columns in that
// order. A row and its fields are good until the next row, and the caller may change them. It costs no allocation a
// row.
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

// NoQuotes makes quotes ordinary characters, as in most TSV files. A row is a line then.
func NoQuotes() CSVOption {
	return csvOption(func(o *csvOptions) { o.quotes, o.lineRows = false, true })
}

// NoHeader means that the first row is data. The fields of a struct are the columns in their order then.
func NoHeader() CSVOption { return csvOption(func(o *csvOptions) { o.header = false }) }

// LineRows promises that each row is one line, though fields may be in quotes. Then Open need not read the files that
// several ranks share. If a row breaks the promise, its lines are rows that cannot be read.
func LineRows() CSVOption { return csvOption(func(o *csvOptions) { o.lineRows = true }) }

// Columns chooses the columns of Rows by their names in the header, and their order.
func Columns(names ...string) CSVOption { return csvOption(func(o *csvOptions) { o.names = names }) }

// AllColumns makes Rows give all columns of the first file's header, in its order, wherever they are in other files.
// Open sets names to theirs.
func AllColumns(names *[]string) CSVOption { return csvOption(func(o *csvOptions) { o.every = names }) }

// csvReader reads CSV files for one source.
type csvReader[T any] struct {
	csvFiles
	fields [][]byte
	picked [][]byte
	row    func(l layout, fields [][]byte) (T, error)
	made   *T            // the struct that is being made
	of     reflect.Value // the same
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

// firstRow goes to the first row that begins in a piece.
func (c *csvReader[T]) firstRow(p *part, s state) bool {
	if c.lineRows {
		return p.skipLine()
	}
	return p.skipRow(c.dialect, s, func() bool { return !p.begins() })
}

// parse makes a record of a row.
func (c *csvReader[T]) parse(l layout, row []byte, quotes bool) (v T, err error) {
	if c.fields, err = c.fieldsOf(row, quotes, c.fields[:0]); err != nil {
		return v, err
	}
	if len(c.fields) != l.width {
		return v, fmt.Errorf("the row has %d fields, the header has %d", len(c.fields), l.width)
	}
	return c.row(l, c.fields)
}

// decode makes a struct of a row.
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

// pick chooses fields of a row.
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
