package target_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

func run(t testing.TB, c pebble.Config, f func(r *pebble.Rank) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return pebble.Run(ctx, c, f)
}

// Every key gets exactly the pebbles sent to it, and the chains that they start, under all shapes of the network.
func TestEveryPebbleOnce(t *testing.T) {
	const keys, each = 97, 300
	for _, ranks := range []int{1, 2, 3, 5, 8} {
		for name, topology := range map[string]route.Constructor{"direct": route.Direct, "hypercube": route.Hypercube} {
			for _, factor := range []int{1, 7, 1024} {
				t.Run(fmt.Sprintf("%d ranks, %s, %d", ranks, name, factor), func(t *testing.T) {
					got := make([]int, keys)
					err := run(t, pebble.Config{Ranks: ranks, Topology: topology, Coalesce: factor},
						func(r *pebble.Rank) error {
							owner := distribution.Cyclic(keys, r.Size())
							type hop struct{ key, left uint64 }
							var visit *target.Target[hop]
							visit = target.New(r, "visit", owner, target.Key(func(h hop) uint64 { return h.key }),
								target.Each(func(h hop) {
									got[h.key]++
									if h.left > 0 {
										visit.Send(hop{(h.key + 1) % keys, h.left - 1})
									}
								}))
							for range 3 {
								if err := r.Epoch(func() error {
									for i := range each {
										visit.Send(hop{uint64(i+r.ID()) % keys, uint64(i % 5)})
									}
									return nil
								}); err != nil {
									return err
								}
							}
							return nil
						})
					require.NoError(t, err)
					want := make([]int, keys)
					for rank := range ranks {
						for i := range each {
							for k := range i%5 + 1 {
								want[(i+rank+k)%keys] += 3
							}
						}
					}
					require.Equal(t, want, got)
				})
			}
		}
	}
}

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
