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

// cell adds a value to the line.
func (w *separated) cell(c *cells, i int) {
	switch {
	case c.isNull(i):
	case c.uints != nil:
		w.line = strconv.AppendUint(w.line, c.uints[i], 10)
	case c.floats != nil:
		w.line = strconv.AppendFloat(w.line, c.floats[i], 'g', -1, 64)
	case c.ints != nil:
		w.line = strconv.AppendInt(w.line, c.ints[i], 10)
	default:
		text := c.texts[i]
		w.field(unsafe.Slice(unsafe.StringData(text), len(text))) // which reads it only
	}
}
