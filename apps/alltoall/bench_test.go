package alltoall

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

// A run of many rounds allocates about as much as one of few. The budget is small, so that both have all the frames that
// they may have.
func TestNoAllocationPerItem(t *testing.T) {
	for _, bytes := range []int{32, 24} {
		for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			s := appstest.Shape{Ranks: 4, Procs: 1, Transport: "mem", New: topology, Budget: 32 << 10}
			few := mallocs(t, s, Config{Bytes: bytes, Rounds: 1 << 10})
			many := mallocs(t, s, Config{Bytes: bytes, Rounds: 1 << 13})
			const more = 4 * 3 * 7 << 10
			require.Less(t, float64(many)-float64(few), 0.001*more, "%d then %d allocations, %d bytes", few, many, bytes)
		}
	}
}

func BenchmarkAllToAll(b *testing.B) {
	for _, ranks := range []int{2, 16} {
		for _, bytes := range []int{8, 32, 64, 24, 1000} {
			b.Run(fmt.Sprintf("ranks=%d/bytes=%d", ranks, bytes), func(b *testing.B) {
				s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct}
				items, seconds := uint64(0), 0.0
				for b.Loop() {
					results := make([]Result, ranks)
					require.NoError(b, s.Run(b, func(r *pebble.Rank) (err error) {
						results[r.ID()], err = Run(r, Config{Bytes: bytes, Rounds: 1 << 19 / uint64(ranks-1)})
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
