package alltoall

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

// A run of many rounds allocates about as much as one of few. The budget is small, so that both have all the frames
// that they may have.
func TestNoAllocationPerItem(t *testing.T) {
	for _, bytes := range []int{32, 24} {
		for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			s := appstest.Shape{Ranks: 4, Procs: 1, Transport: "mem", New: topology, Budget: 32 << 10}
			appstest.SameMallocs(t, s, 4*3*7<<10, once(Config{Bytes: bytes, Rounds: 1 << 10}),
				once(Config{Bytes: bytes, Rounds: 1 << 13}))
		}
	}
}

func BenchmarkAllToAll(b *testing.B) {
	for _, ranks := range []int{2, 16} {
		for _, bytes := range []int{8, 32, 64, 24, 1000} {
			b.Run(fmt.Sprintf("ranks=%d/bytes=%d", ranks, bytes), func(b *testing.B) {
				s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct}
				appstest.Rate(b, s, func(r *pebble.Rank) (apps.Report, uint64, error) {
					got, err := Run(r, Config{Bytes: bytes, Rounds: 1 << 19 / uint64(ranks-1)})
					return got.Report, got.Items, err
				})
			})
		}
	}
}
