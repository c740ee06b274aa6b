package reduction

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

// A run of many items allocates about as much as one of few. The budget is small, so that both have all the frames that
// they may have.
func TestNoAllocationPerItem(t *testing.T) {
	for _, kind := range Kinds() {
		for _, cache := range []int{NoCache, 64} {
			for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
				s := appstest.Shape{Ranks: 4, Procs: 1, Transport: "mem", New: topology, Budget: 32 << 10}
				appstest.SameMallocs(t, s, 4*7<<12, once(Config{Kind: kind, Items: 1 << 12, Keys: 100, Cache: cache}),
					once(Config{Kind: kind, Items: 1 << 15, Keys: 100, Cache: cache}))
			}
		}
	}
}

func BenchmarkReduce(b *testing.B) {
	for _, kind := range Kinds() {
		for _, keys := range []uint64{1, 1 << 12} {
			for _, cache := range []int{NoCache, CacheDefault} {
				b.Run(fmt.Sprintf("%s/keys=%d/cache=%d", kind, keys, max(0, cache)), func(b *testing.B) {
					s := appstest.Shape{Ranks: 4, Procs: 1, Transport: "mem", New: route.Hypercube}
					appstest.Rate(b, s, func(r *pebble.Rank) (apps.Report, uint64, error) {
						got, err := Run(r, Config{Kind: kind, Keys: keys, Cache: cache, Items: 1 << 18})
						return got.Report, got.Items, err
					})
				})
			}
		}
	}
}
