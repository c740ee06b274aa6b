package export

import (
	"strconv"
	"unsafe"
)

// separated writes a table as text with a separator between fields.
type separated struct {
	row
	cells []cells
}

func (w *separated) begin(batch []Column) error {
	var names [][]byte
	for _, c := range batch {
		names = append(names, []byte(c.Name))
	}
	return w.row.begin(names)
}

func (w *separated) rows(batch []Column, rows int) error {
	w.cells = cellsOf(w.cells, batch)
	for i := range rows {
		w.line = w.line[:0]
		for j := range w.cells {
			w.next(j)
			w.cell(&w.cells[j], i)
		}
		if err := w.end(len(w.cells)); err != nil {
			return err
		}
	}
	return nil
}

func (w *separated) cut() error { return w.setting.cut() }

// cell appends a value to the line.
func (w *separated) cell(c *cells, i int) {
	if c.texts == nil || c.isNull(i) {
		w.line = c.appendText(w.line, i)
		return
	}
	text := c.texts[i]
	w.field(unsafe.Slice(unsafe.StringData(text), len(text))) // field only reads it
}

// appendText appends a value as text, or nothing for a missing value.
func (c *cells) appendText(dst []byte, i int) []byte {
	switch {
	case c.isNull(i):
		return dst
	case c.uints != nil:
		return strconv.AppendUint(dst, c.uints[i], 10)
	case c.floats != nil:
		return strconv.AppendFloat(dst, c.floats[i], 'g', -1, 64)
	case c.ints != nil:
		return strconv.AppendInt(dst, c.ints[i], 10)
	}
	return append(dst, c.texts[i]...)
}
