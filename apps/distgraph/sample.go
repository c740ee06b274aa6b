package distgraph

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// Sample is the set of items to check if checking all costs too much. It is the same on all ranks, and plain data.
type Sample struct {
	seed, part uint64
	most       uint64 // limit of the cost of an item
}

// NewSample chooses a sample. cost is the cost of checking all of this rank's items, affordable the cost that this rank
// can spend. The sample has all items if the ranks together can afford it. Otherwise it is a part, drawn by seed,
// without items that would take a large part of the budget alone. All ranks call it with the same seed.
func NewSample(r *pebble.Rank, seed, cost, affordable uint64) (Sample, error) {
	type sums struct{ Cost, Affordable uint64 }
	all, err := pebble.AllReduce(r, sums{cost, affordable}, func(a, b sums) sums {
		return sums{a.Cost + b.Cost, a.Affordable + b.Affordable}
	})
	if all.Cost <= all.Affordable {
		return Sample{seed, math.MaxUint64, math.MaxUint64}, err
	}
	part := float64(all.Affordable) / float64(all.Cost) * math.MaxUint32
	return Sample{seed, uint64(part), all.Affordable / 64}, err
}

// Has reports whether the sample contains an item, given by a unique number and by its cost.
func (s Sample) Has(item, cost uint64) bool {
	return cost <= s.most && apps.Mix(s.seed^apps.Mix(item))>>32 < s.part
}
