package export

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/linkedin/goavro/v2"
)

// avroTable is the format of tables as Avro object container files. Their blocks are deflated, which all readers
// support.
func avroTable() Format[[]Column] {
	f := tableOf("avro", func(s setting) (tabular, error) { return &avroTabular{setting: s}, nil })
	f.packs = true
	return f
}

// avroTabular writes a table to an Avro file.
type avroTabular struct {
	setting
	names []string
	cells []cells
	to    *avroWriter[int] // writes a row by its place in cells
}

func (w *avroTabular) begin(batch []Column) error {
	schema, err := avroSchema(batch)
	if err != nil {
		return err
	}
	for _, c := range batch {
		w.names = append(w.names, c.Name)
	}
	mark := sha256.Sum256([]byte(schema)) // the same in each run, so that files are equal
	w.common = mark[:16]
	w.to, err = newAvroWriter[int](w.setting, avroRows{w, schema}, Deflate)
	return err
}

func (w *avroTabular) rows(batch []Column, rows int) error {
	w.cells = cellsOf(w.cells, batch)
	for i := range rows {
		if err := w.to.Write(i); err != nil {
			return err
		}
	}
	return nil
}

func (w *avroTabular) cut() error { return w.to.Close() }

func (w *avroTabular) Close() error { return w.to.Close() }

// avroSchema returns the schema of rows with these columns.
func avroSchema(columns []Column) (string, error) {
	type field struct {
		Name string `json:"name"`
		Type any    `json:"type"`
	}
	var fields []field
	for _, c := range columns {
		kind := "long"
		switch c.Values.(type) {
		case []float64:
			kind = "double"
		case []string:
			kind = "string"
		}
		one := field{c.Name, kind}
		if c.Null != nil {
			one.Type = []string{"null", kind}
		}
		fields = append(fields, one)
	}
	text, err := json.Marshal(map[string]any{"type": "record", "name": "row", "fields": fields})
	if err != nil {
		return "", err
	}
	if _, err := goavro.NewCodec(string(text)); err != nil {
		return "", fmt.Errorf("the columns make no Avro schema: %w: rename them, or choose another format", err)
	}
	return string(text), nil
}

// avroRows encodes rows of the current batch.
type avroRows struct {
	of     *avroTabular
	schema string
}

// Schema implements AvroCodec.
func (a avroRows) Schema() string { return a.schema }

// Append implements AvroCodec.
func (a avroRows) Append(dst []byte, row int) ([]byte, error) {
	for j := range a.of.cells {
		c := &a.of.cells[j]
		if c.null != nil {
			dst = append(dst, 2) // the second type of the union
			if c.null[row] {
				dst[len(dst)-1] = 0
				continue
			}
		}
		var err error
		if dst, err = c.appendAvro(dst, row); err != nil {
			return dst, fmt.Errorf("a value of column %q %w", a.of.names[j], err)
		}
	}
	return dst, nil
}

// appendAvro appends a value in Avro's binary encoding.
func (c *cells) appendAvro(dst []byte, i int) ([]byte, error) {
	switch {
	case c.uints != nil:
		v := c.uints[i]
		if v > math.MaxInt64 {
			return dst, fmt.Errorf("is %d, and Avro's largest is 2^63-1: choose another format, such as .parquet", v)
		}
		return binary.AppendVarint(dst, int64(v)), nil
	case c.floats != nil:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(c.floats[i])), nil
	case c.ints != nil:
		return binary.AppendVarint(dst, c.ints[i]), nil
	}
	text := c.texts[i]
	dst = binary.AppendVarint(dst, int64(len(text)))
	return append(dst, text...), checkText(text)
}
