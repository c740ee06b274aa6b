package distgraph

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// Sample is what a check looks at, when it may not be able to afford to look at everything. It is the same on all
// ranks, and plain data.
type Sample struct {
	seed, part uint64
	most       uint64 // that an item may cost
}

// NewSample decides, from what it would cost to check all of this rank's items and from what this rank can afford: all
// items of all ranks if they can afford it together, and otherwise a part of them, drawn by seed, without those that
// would take a large part of it alone. All ranks call it with the same seed.
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

// Has reports whether an item is looked at, by a number of its own and by its cost.
func (s Sample) Has(item, cost uint64) bool {
	return cost <= s.most && apps.Mix(s.seed^apps.Mix(item))>>32 < s.part
}
