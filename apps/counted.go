package apps

import (
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// Counted is a number of items that a container.Counter counts by key, and the sum of their keys' hashes.
type Counted struct{ Items, Hashes uint64 }

// Plus returns the sum of two Counted.
func (c Counted) Plus(o Counted) Counted { return Counted{c.Items + o.Items, c.Hashes + o.Hashes} }

// FoundInCounter compares the items that ranks have added with the contents of a counter, over all ranks, and counts
// the differences as errors; keys on a rank that does not own them are errors, too. met is this rank's items, and what
// names the keys in the plural. All ranks call it.
func FoundInCounter[K comparable](p *Report, r *pebble.Rank, counter *container.Counter[K], met Counted,
	hash func(k K) uint64, what string) error {
	var counted Counted
	misplaced := uint64(0)
	for k, n := range counter.LocalAll() {
		counted = counted.Plus(Counted{n, n * hash(k)})
		if counter.Owner(k) != r.ID() {
			misplaced++
		}
	}
	if err := p.Found(r, misplaced, what+" went wrong: they are with a rank that does not own them"); err != nil {
		return err
	}
	type both struct{ Met, Counted Counted }
	all, err := pebble.AllReduce(r, both{met, counted}, func(a, b both) both {
		return both{a.Met.Plus(b.Met), a.Counted.Plus(b.Counted)}
	})
	if err != nil {
		return err
	}
	return p.FoundOnce(r, Differ(all.Met.Items == all.Counted.Items, all.Met.Hashes == all.Counted.Hashes),
		"sums went wrong: "+what+" were lost, altered, or counted twice")
}
