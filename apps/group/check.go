package group

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// weighed are sums over rows or groups that give each key a weight. Only by accident are both sums equal if some row is
// not in the group of its key.
type weighed struct {
	Rows    uint64
	Hashes  uint64 // of the rows' keys
	Columns [columnsMost]column
}

// column is the sums of a column of numbers.
type column struct {
	Numbers  stat
	Weighted sum     // numbers times the weights of their keys
	Sizes    float64 // sum of the absolute values of these, over scale
}

// note adds a row, or a group, of a key.
func note[S stats](w *weighed, key string, t total[S]) {
	hash := distribution.HashString(key)
	w.Hashes += t.Rows * hash
	weight := 0.5 + float64(hash>>12)/(1<<53)
	for i := range len(t.Columns) {
		if s := t.Columns[i]; s.Count > 0 {
			c := &w.Columns[i]
			c.Numbers = c.Numbers.merge(s)
			c.Weighted = c.Weighted.plus(sum{s.Sum.Rest.by(weight), s.Sum.Large.by(weight)})
			c.Sizes += math.Abs(s.Sum.scaled())
		}
	}
}

// plus returns the sum of two weighed.
func (w weighed) plus(o weighed) weighed {
	w.Rows, w.Hashes = w.Rows+o.Rows, w.Hashes+o.Hashes
	for i := range w.Columns {
		a, b := w.Columns[i], o.Columns[i]
		w.Columns[i] = column{a.Numbers.merge(b.Numbers), a.Weighted.plus(b.Weighted), a.Sizes + b.Sizes}
	}
	return w
}

// near is the maximum difference of sums, as a fraction of the sum of absolute values: products with weights are
// rounded.
const near = 1e-12

// judge adds the differences between all ranks' rows, w, and their groups to the errors of a report. All ranks call it.
func (w weighed) judge(p *apps.Report, r *pebble.Rank, groups weighed) error {
	type both struct{ Rows, Groups weighed }
	all, err := pebble.AllReduce(r, both{w, groups}, func(a, b both) both {
		return both{a.Rows.plus(b.Rows), a.Groups.plus(b.Groups)}
	})
	if err != nil {
		return err
	}
	lost := apps.Differ(all.Rows.Hashes == all.Groups.Hashes)
	if err := p.FoundOnce(r, lost, "sums went wrong: rows were lost, doubled, or are in other groups"); err != nil {
		return err
	}
	for i, c := range all.Rows.Columns {
		of := all.Groups.Columns[i]
		room := near * c.Sizes
		same := c.Numbers.Count == of.Numbers.Count && c.Numbers.Min.same(of.Numbers.Min) &&
			c.Numbers.Max.same(of.Numbers.Max) && equal(c.Numbers.Sum.scaled(), of.Numbers.Sum.scaled(), room) &&
			equal(c.Weighted.scaled(), of.Weighted.scaled(), room)
		what := fmt.Sprintf("columns of numbers went wrong: the sums over groups differ from those over rows in "+
			"number %d", i+1)
		if err := p.FoundOnce(r, apps.Differ(same), what); err != nil {
			return err
		}
	}
	return nil
}

// equal reports whether two numbers differ by at most most, or are both NaN or the same infinity.
func equal(a, b, most float64) bool {
	return a == b || math.Abs(a-b) <= most || math.IsNaN(a) && math.IsNaN(b) || math.IsInf(most, 0) || math.IsNaN(most)
}
