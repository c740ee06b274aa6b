package distgraph

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Columns name the columns of a table of edges. A row is an arc from Source to Target. Weight is read if the source's
// weights are Given. Empty names mean "source", "target" and "weight".
type Columns struct{ Source, Target, Weight string }

// isTable reports whether the edges are rows of a table: columns are named, or the format is to detect and the file's
// name is that of a table.
func (s Source) isTable() bool {
	return s.Columns != Columns{} || s.Format == ingest.AutoFormat && table.Named(s.Path)
}

// edges returns the format of the edges of files; names are nil if vertices are ids. It is collective.
func (s Source) edges(r *pebble.Rank, names *ingest.Names) (ingest.Format[ingest.Edge], error) {
	if !s.isTable() {
		return ingest.Edges(s.Format), nil
	}
	columns := []string{cmp.Or(s.Columns.Source, "source"), cmp.Or(s.Columns.Target, "target")}
	if s.Weights == Given {
		columns = append(columns, cmp.Or(s.Columns.Weight, "weight"))
	}
	rows, err := table.Pick(r, s.patterns(), columns...)
	if err != nil {
		return ingest.Format[ingest.Edge]{}, err
	}
	var text []byte
	return ingest.Convert(rows, func(_ ingest.Place, row table.Record) (e ingest.Edge, err error) {
		for i, end := range []*uint64{&e.From, &e.To} {
			text = row.Values[i].AppendText(text[:0])
			if names != nil {
				*end = names.Number(text)
			} else if *end, err = vertexOf(row.Values[i], text); err != nil {
				return e, fmt.Errorf("column %q: %w", columns[i], err)
			}
		}
		e.Weight = math.NaN()
		if len(columns) > 2 && row.Values[2].Kind != table.Null {
			var isNumber bool
			if e.Weight, isNumber = row.Values[2].Number(); !isNumber || math.IsNaN(e.Weight) {
				return e, fmt.Errorf("column %q: found %.40q; expected a weight, which is a number", columns[2],
					row.Values[2].String())
			}
		}
		return e, nil
	}), nil
}

// vertexOf returns the id in a column; text is the value as text.
func vertexOf(v table.Value, text []byte) (uint64, error) {
	const exact = 1 << 53 // whole numbers below it are exact as float64
	if x, _ := v.Number(); v.Kind == table.Float && x == math.Trunc(x) && x >= 0 && x < exact {
		return uint64(x), nil
	}
	id, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("found %.40q; expected a vertex, which is a whole number of 64 bits; otherwise set --ids "+
			"names", text)
	}
	return id, nil
}
