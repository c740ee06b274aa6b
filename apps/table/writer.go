package table

import (
	"cmp"
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/export"
)

// batchRows is the number of rows of a batch.
const batchRows = 4096

// A Writer passes rows on to an application's output, in batches.
type Writer struct {
	to      *apps.RowWriter
	columns []Column
	batch   []export.Column
	rows    int
	written bool
}

// WriteSorted sorts rows, writes the values of each, and adds mistakes in their order to the errors of a report. The
// output is complete when the caller has closed it. All ranks call it.
func WriteSorted[R any, K cmp.Ordered](p *apps.Report, rows *Sorting[R, K], to *apps.RowWriter, columns []Column,
	values func(dst []Value, row R) []Value) (Sums, error) {
	if err := rows.Sort(); err != nil {
		return Sums{}, err
	}
	return WriteInOrder(p, rows, to, columns, values)
}

// WriteInOrder is WriteSorted for rows that are sorted already.
func WriteInOrder[R any, K cmp.Ordered](p *apps.Report, rows *Sorting[R, K], to *apps.RowWriter, columns []Column,
	values func(dst []Value, row R) []Value) (Sums, error) {
	if err := to.Announce(uint64(rows.LocalLen())); err != nil {
		return Sums{}, err
	}
	w := NewWriter(to, columns)
	var some []Value
	for row := range rows.All() {
		if to.Wanted() {
			some = values(some[:0], row)
			w.Write(some)
		}
	}
	w.Flush()
	sums, err := rows.Total()
	if err != nil {
		return sums, err
	}
	return sums, rows.Judge(p, sums)
}

// NewWriter makes a writer of rows with these columns, which are the same on all ranks.
func NewWriter(to *apps.RowWriter, columns []Column) *Writer {
	w := &Writer{to: to, columns: columns}
	w.begin()
	return w
}

func (w *Writer) begin() {
	w.batch, w.rows = w.batch[:0], 0
	for _, c := range w.columns {
		w.batch = append(w.batch, c.made(batchRows))
	}
}

// Write writes a row. The output keeps the first error; closing it reports the error on all ranks.
func (w *Writer) Write(values []Value) {
	for i, v := range values {
		add(&w.batch[i], v)
	}
	if w.rows++; w.rows == batchRows {
		w.flush()
	}
}

// Flush passes on the remaining rows. Each rank calls it once, at the end.
func (w *Writer) Flush() {
	if w.rows > 0 || !w.written {
		w.flush()
	}
}

func (w *Writer) flush() {
	_ = w.to.Write(w.batch...)
	w.written = true
	w.begin()
}

// made returns an empty column of a file for a batch.
func (c Column) made(rows int) export.Column {
	of := export.Column{Name: c.Name}
	if c.Met&metNull != 0 {
		of.Null = make([]bool, 0, rows)
	}
	switch c.kind() {
	case Int:
		of.Values = make([]int64, 0, rows)
	case Uint:
		of.Values = make([]uint64, 0, rows)
	case Float:
		of.Values = make([]float64, 0, rows)
	default:
		of.Values = make([]string, 0, rows)
	}
	return of
}

// add adds a value to a column of a file.
func add(to *export.Column, v Value) {
	if to.Null != nil {
		to.Null = append(to.Null, v.Kind == Null)
	}
	switch values := to.Values.(type) {
	case []int64:
		to.Values = append(values, int64(v.bits))
	case []uint64:
		to.Values = append(values, v.bits)
	case []float64:
		x, ok := v.Number()
		if !ok {
			x = math.NaN()
		}
		to.Values = append(values, x)
	case []string:
		to.Values = append(values, v.String())
	}
}
