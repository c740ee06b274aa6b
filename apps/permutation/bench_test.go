package permutation

import (
	"fmt"
	"testing"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// once is a rank's part of a job.
func once(c Config) func(r *pebble.Rank) error {
	return func(r *pebble.Rank) error {
		_, err := Run(r, c)
		return err
	}
}

// A run of many elements allocates about as much as one of few. The budget is small, so that both have all
// the frames that they may have.
func TestNoAllocationPerElement(t *testing.T) {
	for _, cache := range []int{0, 64} {
		for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			s := appstest.Shape{Ranks: 4, Procs: 1, Transport: "mem", New: topology, Cache: cache, Budget: 32 << 10}
			appstest.SameMallocs(t, s, 4<<17, once(Config{Log2Elements: 10}), once(Config{Log2Elements: 17}))
		}
	}
}

func BenchmarkPermutation(b *testing.B) {
	for _, ranks := range []int{2, 16} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct}
			appstest.Rate(b, s, func(r *pebble.Rank) (apps.Report, uint64, error) {
				got, err := Run(r, Config{Log2Elements: 18})
				return got.Report, got.Elements, err
			})
		})
	}
}
