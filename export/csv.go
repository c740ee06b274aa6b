package export

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/dataset"
)

// CSV writes structs of type T as rows of CSV (RFC 4180, with \n behind each row), below a header. A field of T is the
// column of its name or tag, as in ingest.CSV. Zero values of optional columns are empty. comma separates fields; 0
// means ','.
func CSV[T any](comma byte) Format[T] {
	return Format[T]{name: "csv", open: func(s setting) (Writer[T], error) {
		columns, err := dataset.Columns(reflect.TypeFor[T]())
		if err != nil {
			return nil, err
		}
		w := &csvWriter[T]{row: row{setting: s, comma: comma}, columns: columns}
		var header [][]byte
		for _, c := range columns {
			header = append(header, []byte(c.Name))
		}
		return w, w.begin(header)
	}}
}

// row writes rows of fields.
type row struct {
	setting
	comma byte
	line  []byte
}

// begin writes the header at the beginning of a file.
func (r *row) begin(header [][]byte) error {
	if r.comma == 0 {
		r.comma = ','
	}
	if r.comma == '"' || r.comma == '\n' || r.comma == '\r' || r.comma >= 0x80 {
		return fmt.Errorf("%q cannot separate fields: choose another ASCII character", rune(r.comma))
	}
	if !r.first || len(header) == 0 {
		return nil
	}
	r.line = r.line[:0]
	for i, name := range header {
		r.next(i)
		r.field(name)
	}
	return r.end(len(header))
}

// next separates field i from the one before it.
func (r *row) next(i int) {
	if i > 0 {
		r.line = append(r.line, r.comma)
	}
}

// field appends a field to the line.
func (r *row) field(field []byte) {
	if !r.needsQuotes(field) {
		r.line = append(r.line, field...)
		return
	}
	r.line = append(r.line, '"')
	for {
		i := bytes.IndexByte(field, '"')
		if i < 0 {
			break
		}
		r.line = append(append(r.line, field[:i]...), `""`...)
		field = field[i+1:]
	}
	r.line = append(append(r.line, field...), '"')
}

// needsQuotes reports whether a field would be misread without quotes: RFC 4180 has no control characters outside of
// quotes.
func (r *row) needsQuotes(field []byte) bool {
	for _, b := range field {
		if b == r.comma || b == '"' || b < ' ' || b == 0x7f {
			return true
		}
	}
	return len(field) > 0 && field[0] == ' '
}

// end writes the line of the given number of fields. A single empty field gets quotes, since an empty line is not a
// row.
func (r *row) end(fields int) error {
	if fields == 1 && len(r.line) == 0 {
		r.line = append(r.line, `""`...)
	}
	r.line = append(r.line, '\n')
	_, err := r.Write(r.line)
	return err
}

func (*row) Close() error { return nil }

// csvWriter writes structs.
type csvWriter[T any] struct {
	row
	columns []dataset.Column
	text    []byte
}

// Write implements Writer.
func (w *csvWriter[T]) Write(v T) (err error) {
	of := reflect.ValueOf(&v).Elem()
	w.line = w.line[:0]
	for i := range w.columns {
		c := &w.columns[i]
		w.text = w.text[:0]
		if !c.Optional || !of.Field(c.Index).IsZero() {
			if w.text, err = c.Append(w.text, of); err != nil {
				return err
			}
		}
		w.next(i)
		w.field(w.text)
	}
	return w.end(len(w.columns))
}
