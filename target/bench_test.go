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

// BenchmarkUpdates sends updates of a table, as randomaccess does.
func BenchmarkUpdates(b *testing.B) {
	for _, ranks := range []int{2, 16} {
		for _, room := range []int{768, 4096} {
			b.Run(fmt.Sprintf("ranks=%d/waiting=%d", ranks, room), func(b *testing.B) {
				words := uint64(1) << 23
				updates := b.N/ranks + 1
				err := run(b, pebble.Config{Ranks: ranks, Coalesce: max(1, room/max(1, ranks-1))},
					func(r *pebble.Rank) error {
						own := words / uint64(ranks)
						table := make([]uint64, own)
						m := own - 1
						t := target.New(r, "update", distribution.Block(words, ranks),
							target.Keys(func(vs, keys []uint64) {
								for i, v := range vs {
									keys[i] = v & (words - 1)
								}
							}),
							target.Batch(func(vs []uint64) {
								for _, v := range vs {
									table[v&m] ^= v
								}
							}))
						r.Barrier()
						if r.ID() == 0 {
							b.ResetTimer()
						}
						return r.Epoch(func() error {
							ran := uint64(r.ID())*0x9E3779B97F4A7C15 + 12345
							var vs [256]uint64
							for i := 0; i < updates; i += len(vs) {
								for j := range vs {
									ran = ran<<1 ^ (uint64(int64(ran)>>63) & 7)
									vs[j] = ran
								}
								t.SendAll(vs[:])
							}
							return nil
						})
					})
				require.NoError(b, err)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			})
		}
	}
}

// BenchmarkCounting counts uniform keys in a Go map at their owners, on 8 ranks, with and without a cache of 2^16
// entries. With as many keys as entries, nearly all pebbles merge at their source; with 2^23, nearly none do. A merged
// pebble saves the transport and the handler: the program determines the second, so one handler does half a microsecond
// of extra work.
func BenchmarkCounting(b *testing.B) {
	const ranks = 8
	for _, c := range []struct {
		keys uint64
		work int
	}{{1 << 16, 0}, {1 << 16, 1000}, {1 << 23, 0}} {
		for _, cache := range []int{0, 1 << 16} {
			b.Run(fmt.Sprintf("keys=%d/work=%d/cache=%d", c.keys, c.work, cache), func(b *testing.B) {
				keys := c.keys
				var handled [ranks]uint64
				require.NoError(b, run(b, pebble.Config{Ranks: ranks, Cache: cache}, func(r *pebble.Rank) error {
					counts := make(map[uint64]uint64)
					var spent uint64 // keeps the compiler from removing the work
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
				require.EqualValues(b, b.N/ranks*ranks, sumOf(handled[:]))
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			})
		}
	}
}

// BenchmarkHandlers compares the forms of handlers: nanoseconds per pebble, in batches of the coalescing factor.
func BenchmarkHandlers(b *testing.B) {
	var sum uint64
	for name, handling := range map[string]target.Handling[uint64]{
		"Each":    target.Each(func(v uint64) { sum += v }),
		"TryEach": target.TryEach(func(_ *target.Target[uint64], v uint64) error { sum += v; return nil }),
		"Batch": target.Batch(func(vs []uint64) {
			for _, v := range vs {
				sum += v
			}
		}),
		"TryBatch": target.TryBatch(func(_ *target.Target[uint64], vs []uint64) error {
			for _, v := range vs {
				sum += v
			}
			return nil
		}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			require.NoError(b, run(b, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
				add := target.New(r, "add", distribution.Ranks(1), target.Keys(func(_ []uint64,
					keys []uint64) {
					clear(keys)
				}), handling)
				return r.Epoch(func() error {
					vs := make([]uint64, 1024)
					b.ResetTimer()
					for left := b.N; left > 0; left -= len(vs) {
						add.SendAll(vs[:min(left, len(vs))])
					}
					return nil
				})
			}))
		})
	}
}
