package target_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

type amount struct{ key, n uint64 }

// Every kind of reduction leaves the answer as it is, and every pebble is handled or merged.
func TestReductionsKeepTheAnswer(t *testing.T) {
	const keys, sends = 50, 2000
	kinds := map[string]struct {
		kind  reduce.Kind[amount]
		fold  func(into *uint64, n uint64)
		value func(i int) uint64
	}{
		"combine": {reduce.Combine(func(a, b amount) amount { return amount{a.key, a.n + b.n} }),
			func(into *uint64, n uint64) { *into += n }, func(i int) uint64 { return uint64(i) }},
		"best": {reduce.Best(func(a, b amount) bool { return a.n > b.n }),
			func(into *uint64, n uint64) {
				*into = max(*into,
					n)
			}, func(i int) uint64 { return uint64(i*7919) % 1000 }},
		"duplicates": {reduce.Duplicates[amount](),
			func(into *uint64, n uint64) { *into |= 1 << n }, func(i int) uint64 { return uint64(i/500) % 64 }},
		"first": {reduce.First[amount](),
			func(into *uint64, _ uint64) { *into = 1 }, func(i int) uint64 { return uint64(i) }},
	}
	for name, k := range kinds {
		for _, ranks := range []int{1, 2, 5, 8} {
			for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
				for _, cache := range []int{0, 1, 16, 4096} {
					t.Run(fmt.Sprintf("%s, %d ranks, %s, %d", name, ranks, topology(ranks).Name(), cache),
						func(t *testing.T) {
							got, want := make([]uint64, keys), make([]uint64, keys)
							var counters pebble.Counters
							require.NoError(t, run(t, pebble.Config{Ranks: ranks, Topology: topology, Cache: cache,
								Coalesce: 32}, func(r *pebble.Rank) error {
								put := target.New(r, "put", distribution.Cyclic(keys, ranks),
									target.Key(func(a amount) uint64 { return a.key }),
									target.Each(func(a amount) { k.fold(&got[a.key], a.n) }), target.Reduce(k.kind))
								for epoch := range 2 {
									if err := r.Epoch(func() error {
										for i := range sends {
											a := amount{uint64(i*i+epoch) % keys, k.value(i)}
											if i%2 == 0 {
												put.Send(a)
											} else {
												put.SendAll([]amount{a})
											}
										}
										return nil
									}); err != nil {
										return err
									}
								}
								sum, err := pebble.AllReduce(r, r.Counters(), pebble.Counters.Add)
								if r.ID() == 0 {
									counters = sum
								}
								return err
							}))
							for range ranks {
								for epoch := range 2 {
									for i := range sends {
										k.fold(&want[uint64(i*i+epoch)%keys], k.value(i))
									}
								}
							}
							require.Equal(t, want, got)
							require.EqualValues(t, 2*sends*ranks, counters.PebblesHandled+counters.Merged)
							if cache == 4096 && ranks > 1 {
								require.Positive(t, counters.Merged)
							}
						})
				}
			}
		}
	}
}

// All to one with combine under a hypercube is a reduction tree (Active Pebbles 3.5): the root hears from its
// neighbours alone, and of all pebbles few are left.
func TestEmergentReductionTree(t *testing.T) {
	const ranks, sends = 16, 1000
	var sum uint64
	var root pebble.Counters
	require.NoError(t, run(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 8},
		func(r *pebble.Rank) error {
			total := target.New(r, "total", distribution.Block(1, ranks),
				target.Key(func(amount) uint64 { return 0 }), target.Each(func(a amount) { sum += a.n }),
				target.Reduce(reduce.Combine(func(a, b amount) amount { return amount{0, a.n + b.n} })))
			err := r.Epoch(func() error {
				for i := range sends {
					total.Send(amount{0, uint64(i)})
				}
				return nil
			})
			if r.ID() == 0 {
				root = r.Counters()
			}
			return err
		}))
	require.EqualValues(t, ranks*sends*(sends-1)/2, sum)
	require.Less(t, root.PebblesHandled, uint64(sends+ranks*8), "pebbles were merged before they came to the root")
}

// What a hop merges is counted as its own, for plain and for coded pebbles: all ranks send one pebble to rank 0 along a
// tree, and what comes from others meets there.
func TestMergesAtHopsAreCounted(t *testing.T) {
	for _, coder := range []bool{false, true} {
		const ranks = 16
		var atHops, merged, handled [ranks]uint64
		require.NoError(t, run(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 16, Due: -1},
			func(r *pebble.Rank) error {
				options := []target.Option{target.Reduce(reduce.Combine(func(a, b amount) amount {
					return amount{a.key,
						a.n + b.n}
				}))}
				if coder {
					options = append(options, target.Coded[amount](amounts{}))
				}
				sum := target.New(r, "sum", distribution.Cyclic(ranks, ranks),
					target.Key(func(a amount) uint64 { return a.key }),
					target.Each(func(a amount) { handled[r.ID()] += a.n }), options...)
				err := r.Epoch(func() error {
					sum.Send(amount{0, 1})
					for r.ID() == ranks/2 && r.Counters().FramesReceived < 3 {
						r.Poll() // an idle rank would empty its cache between two arrivals
					}
					return nil
				}, pebble.Depth(1), pebble.EndBy(termination.Ordered))
				atHops[r.ID()], merged[r.ID()] = r.Counters().MergedAtHops, r.Counters().Merged
				return err
			}))
		require.EqualValues(t, ranks, handled[0])
		for rank := range atHops {
			require.LessOrEqual(t, merged[rank]-atHops[rank], uint64(1),
				"its one pebble of its own may meet another's: rank %d", rank)
		}
		require.Positive(t, atHops[ranks/2], "the last hop before rank 0, coded %v", coder)
	}
}
