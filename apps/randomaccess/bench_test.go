package randomaccess

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

// A run of many updates allocates about as much as one of few. The budget is small, so that both have all
// the frames that they may have.
func TestNoAllocationPerUpdate(t *testing.T) {
	for _, cache := range []int{0, 64} {
		for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			s := appstest.Shape{Ranks: 4, Procs: 1, Transport: "mem", New: topology, Cache: cache, Budget: 32 << 10}
			few := mallocs(t, s, Config{Log2Words: 12, UpdatesPerWord: 4})
			many := mallocs(t, s, Config{Log2Words: 12, UpdatesPerWord: 64})
			const more = 4 * 60 << 12
			require.Less(t, float64(many)-float64(few), 0.001*more, "%d then %d allocations, cache of %d", few, many, cache)
		}
	}
}

func BenchmarkRandomAccess(b *testing.B) {
	for _, ranks := range []int{2, 16} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct}
			c := Config{Log2Words: 20}
			var got Result
			updates, seconds := uint64(0), 0.0
			for b.Loop() {
				require.NoError(b, s.Run(b, func(r *pebble.Rank) error {
					res, err := Run(r, c)
					if r.ID() == 0 {
						got = res
					}
					return err
				}))
				require.Zero(b, got.Errors)
				updates += got.Updates
				seconds += got.Seconds
			}
			b.ReportMetric(float64(updates)/seconds/1e6, "M/s")
			b.Logf("checksum %s", got.Checksum)
		})
	}
}
