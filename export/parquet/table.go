package parquet

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/activepebbles/pebbles/export"
)

// Table is the format of tables as Parquet files, for [export.Also]. Columns are INT64, INT64 with the logical type of
// unsigned integers for uint64, DOUBLE, or strings; they are optional if values may be missing. Pages are compressed by
// snappy, which all readers support. Parts can be joined to one file. A rank holds one row group in memory.
func Table() export.Format[[]export.Column] {
	return export.Joined(export.Parts("parquet", func(w io.Writer) (export.Writer[[]export.Column], error) {
		return &table{out: w}, nil
	}), joint{})
}

// table writes each batch of columns as a row group.
type table struct {
	out     io.Writer
	to      *parquet.GenericWriter[any] // nil before the first batch
	columns []*parquet.ColumnWriter
	values  []parquet.Value
}

// valuesAtOnce is the number of values of a column written at a time.
const valuesAtOnce = 1024

// Write implements export.Writer.
func (t *table) Write(batch []export.Column) error {
	if t.to == nil {
		t.begin(batch)
	}
	if batch[0].Len() == 0 {
		return nil
	}
	for i, c := range batch {
		if err := t.column(i, c); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return t.to.Flush()
}

func (t *table) begin(batch []export.Column) {
	t.to = parquet.NewGenericWriter[any](t.out, schemaOf(batch), parquet.Compression(&parquet.Snappy))
	t.columns = t.to.ColumnWriters()
	t.values = make([]parquet.Value, valuesAtOnce)
}

// column writes rows of a column to the current row group.
func (t *table) column(index int, c export.Column) error {
	for rows := c.Len(); rows > 0; {
		n := min(rows, valuesAtOnce)
		if err := fill(t.values[:n], index, c.Slice(0, n)); err != nil {
			return err
		}
		if _, err := t.columns[index].WriteRowValues(t.values[:n]); err != nil {
			return err
		}
		c, rows = c.Slice(n, rows), rows-n
	}
	return nil
}

// fill converts a column's rows to values.
func fill(to []parquet.Value, index int, c export.Column) error {
	switch v := c.Values.(type) {
	case []int64:
		for i, x := range v {
			to[i] = parquet.Int64Value(x)
		}
	case []uint64:
		for i, x := range v {
			to[i] = parquet.Int64Value(int64(x))
		}
	case []float64:
		for i, x := range v {
			to[i] = parquet.DoubleValue(x)
		}
	case []string:
		for i, x := range v {
			if !utf8.ValidString(x) {
				return fmt.Errorf("a value is %.40q, which is not UTF-8: choose .csv or .tsv", x)
			}
			to[i] = parquet.ByteArrayValue([]byte(x))
		}
	}
	for i, null := range c.Null {
		if null {
			to[i] = parquet.NullValue().Level(0, 0, index)
		} else {
			to[i] = to[i].Level(0, 1, index)
		}
	}
	return nil
}

// Close implements export.Writer.
func (t *table) Close() error { return t.to.Close() }

// schemaOf returns the schema of rows with these columns.
func schemaOf(columns []export.Column) *parquet.Schema {
	root := ordered{Group: parquet.Group{}}
	for _, c := range columns {
		node := parquet.Leaf(parquet.Int64Type)
		switch c.Values.(type) {
		case []uint64:
			node = parquet.Uint(64)
		case []float64:
			node = parquet.Leaf(parquet.DoubleType)
		case []string:
			node = parquet.String()
		}
		if c.Null != nil {
			node = parquet.Optional(node)
		}
		root.Group[c.Name] = node
		root.fields = append(root.fields, parquet.Group{c.Name: node}.Fields()...)
	}
	return parquet.NewSchema("row", root)
}

// ordered is a group that keeps the order of its columns, which parquet.Group does not.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }
