package target_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// BenchmarkCounting counts uniform keys in a Go map at their owners, on 8 ranks, with and without a cache of 2^16
// entries: with as many keys as entries nearly all pebbles merge at their source, with 2^23 nearly none. A merged
// pebble saves the carrying and the handler: the second is what a program brings, so there is one whose handler does
// half a microsecond of work more.
func BenchmarkCounting(b *testing.B) {
	const ranks = 8
	for _, c := range []struct {
		keys uint64
		work int
	}{{1 << 16, 0}, {1 << 16, 1000}, {1 << 23, 0}} {
		for _, cache := range []int{0, 1 << 16} {
			b.Run(fmt.Sprintf("keys=%d/work=%d/cache=%d", c.keys, c.work, cache), func(b *testing.B) {
				keys := c.keys
				total := uint64(0)
				var handled [ranks]uint64
				require.NoError(b, run(b, pebble.Config{Ranks: ranks, Cache: cache}, func(r *pebble.Rank) error {
					counts := make(map[uint64]uint64)
					var spent uint64 // keeps the work from being left out as useless
					word := target.New(r, "word", distribution.Shuffled(keys, ranks, 1),
						target.Key(func(a amount) uint64 { return a.key }),
						target.Each(func(a amount) {
							mixed := a.key
							for range c.work {
								mixed = mixed*6364136223846793005 + 1442695040888963407
							}
							counts[a.key] += a.n
							handled[r.ID()] += a.n
							spent = mixed
						}),
						target.Reduce(reduce.Combine(func(x, y amount) amount { return amount{x.key, x.n + y.n} })))
					state := uint64(r.ID())*7919 + 1 + spent
					return r.Epoch(func() error {
						batch := make([]amount, 512)
						for left := b.N / ranks; left > 0; left -= len(batch) {
							batch = batch[:min(left, len(batch))]
							for i := range batch {
								state = state*6364136223846793005 + 1442695040888963407
								batch[i] = amount{state >> 33 % keys, 1}
							}
							word.SendAll(batch)
						}
						return nil
					}, pebble.Depth(1))
				}))
				for _, n := range handled {
					total += n
				}
				require.EqualValues(b, b.N/ranks*ranks, total)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			})
		}
	}
}
