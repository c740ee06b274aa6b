package reduction

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// mallocs is how many allocations a whole job makes.
func mallocs(t *testing.T, s appstest.Shape, c Config) uint64 {
	return appstest.Mallocs(t, s, func(r *pebble.Rank) error {
		_, err := Run(r, c)
		return err
	})
}

// A run of many items allocates about as much as one of few. The budget is small, so that both have all the frames that
// they may have.
func TestNoAllocationPerItem(t *testing.T) {
	for _, kind := range Kinds() {
		for _, cache := range []int{NoCache, 64} {
			for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
				s := appstest.Shape{Ranks: 4, Procs: 1, Transport: "mem", New: topology, Budget: 32 << 10}
				few := mallocs(t, s, Config{Kind: kind, Items: 1 << 12, Keys: 100, Cache: cache})
				many := mallocs(t, s, Config{Kind: kind, Items: 1 << 15, Keys: 100, Cache: cache})
				const more = 4 * 7 << 12
				require.Less(t, float64(many)-float64(few), 0.001*more, "%s: %d then %d allocations, cache of %d", kind, few, many, cache)
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
					items, seconds := uint64(0), 0.0
					for b.Loop() {
						results := make([]Result, s.Ranks)
						require.NoError(b, s.Run(b, func(r *pebble.Rank) (err error) {
							results[r.ID()], err = Run(r, Config{Kind: kind, Keys: keys, Cache: cache, Items: 1 << 18})
							return err
						}))
						require.Zero(b, results[0].Errors)
						items += results[0].Items
						seconds += results[0].Seconds
					}
					b.ReportMetric(float64(items)/seconds/1e6, "M/s")
				})
			}
		}
	}
}
