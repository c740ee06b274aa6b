package target_test

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

type amount struct{ key, n uint64 }

// added adds amounts of a key.
var added = reduce.Combine(func(a, b amount) amount { return amount{a.key, a.n + b.n} })

// Every kind of reduction leaves the result unchanged, and every pebble is handled or merged.
func TestReductionsKeepTheAnswer(t *testing.T) {
	const keys, sends = 50, 400
	number := func(i int) uint64 { return uint64(i) }
	kinds := []struct {
		kind  reduce.Kind[amount]
		fold  func(a, b uint64) uint64
		value func(i int) uint64
	}{
		{added, func(a, b uint64) uint64 { return a + b }, number},
		{reduce.Best(func(a, b amount) bool { return a.n > b.n }),
			func(a, b uint64) uint64 { return max(a, b) }, func(i int) uint64 { return uint64(i*7919) % 1000 }},
		{reduce.Duplicates[amount](),
			func(a, b uint64) uint64 { return a | 1<<b }, func(i int) uint64 { return uint64(i/100) % 64 }},
		{reduce.First[amount](), func(_, _ uint64) uint64 { return 1 }, number},
	}
	everywhere(t, 3, len(kinds), func(t *testing.T, c pebble.Config, variant int) {
		k := kinds[variant]
		got, want := make([]uint64, keys), make([]uint64, keys)
		counters := total(job(t, c, func(r *pebble.Rank) error {
			put := target.New(r, "put", distribution.Cyclic(keys, c.Ranks), byKey,
				target.Each(func(a amount) { got[a.key] = k.fold(got[a.key], a.n) }), target.Reduce(k.kind))
			for turn := range 2 {
				appstest.Epoch(r, func() {
					for i := range sends {
						a := amount{uint64(i*i+turn) % keys, k.value(i)}
						if i%2 == 0 {
							put.Send(a)
						} else {
							put.SendAll([]amount{a})
						}
					}
				})
			}
			return nil
		}))
		for i := range c.Ranks * 2 * sends {
			turn, i := i/sends%2, i%sends
			key := uint64(i*i+turn) % keys
			want[key] = k.fold(want[key], k.value(i))
		}
		require.Equal(t, want, got)
		require.EqualValues(t, 2*sends*c.Ranks, counters.PebblesHandled+counters.Merged)
		if c.Cache == 4096 && c.Ranks > 1 && c.Due != 1 { // pebbles that are due at once find none to merge with
			require.Positive(t, counters.Merged)
		}
	})
}

// Keys in batches are equivalent to keys one by one.
func TestKeysEqualKey(t *testing.T) {
	var sums [3]uint64
	job(t, pebble.Config{Ranks: 3, Cache: 16}, func(r *pebble.Rank) error {
		x := target.New(r, "x", distribution.Hash(3), target.Keys(func(vs, keys []uint64) { copy(keys, vs) }),
			target.Each(func(v uint64) { sums[r.ID()] += v }), target.Reduce(reduce.Duplicates[uint64]()))
		return epoch(r, func() {
			for v := range uint64(100) {
				x.Send(v)
			}
		})
	})
	require.EqualValues(t, 3*99*100/2, sums[0]+sums[1]+sums[2])
}

// The merges of a hop are counted there, for plain and for coded pebbles: all ranks send one pebble to rank 0 along a
// tree, and the pebbles of others meet on the way.
func TestMergesAtHopsAreCounted(t *testing.T) {
	const ranks = 16
	for _, options := range [][]target.Option{nil, {target.Coded[amount](amounts{})}} {
		handled := uint64(0)
		c := pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 16, Due: -1}
		counters := job(t, c, func(r *pebble.Rank) error {
			sum := target.New(r, "sum", distribution.Cyclic(ranks, ranks), byKey,
				target.Each(func(a amount) { handled += a.n }), append(options, target.Reduce(added))...)
			return epoch(r, func() {
				sum.Send(amount{0, 1})
				for r.ID() == ranks/2 && r.Counters().FramesReceived < 3 {
					r.Poll() // an idle rank would empty its cache between two arrivals
				}
			}, pebble.Depth(1), pebble.EndBy(termination.Ordered))
		})
		require.EqualValues(t, ranks, handled)
		for rank, c := range counters {
			require.LessOrEqual(t, c.Merged-c.MergedAtHops, uint64(1),
				"its one pebble of its own may meet another's: rank %d", rank)
		}
		require.Positive(t, counters[ranks/2].MergedAtHops, "the last hop before rank 0")
	}
}

// All ranks send to one key, with a combining reduction, along a hypercube: routing and reduction together form a
// reduction tree (Active Pebbles, section 3.5 and figure 2c). It has at most P-1 frames and ⌈log2 P⌉ stages, and the
// root receives at most ⌈log2 P⌉ frames.
func TestReductionTreeEmerges(t *testing.T) {
	sum := reduce.Combine(func(a, b uint64) uint64 { return a + b })
	for _, detector := range []termination.Maker{termination.Ordered, termination.Auto} {
		for ranks := 1; ranks <= 64; ranks++ {
			root, log, got := ranks*2/3, bits.Len(uint(ranks-1)), uint64(0)
			c := pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 16, Termination: detector, Due: -1}
			counters := job(t, c, func(r *pebble.Rank) error {
				to := target.New(r, "sum", distribution.Cyclic(uint64(ranks), ranks),
					target.Key(func(uint64) uint64 { return uint64(root) }), target.Each(func(v uint64) { got += v }),
					target.Reduce(sum))
				return epoch(r, func() {
					for range 100 {
						to.Send(uint64(r.ID()) + 1)
					}
				}, pebble.Depth(1))
			})
			require.EqualValues(t, 100*ranks*(ranks+1)/2, got)
			require.LessOrEqual(t, total(counters).FramesSent, uint64(ranks-1))
			require.LessOrEqual(t, counters[root].FramesReceived, uint64(log))
			for from, c := range counters {
				require.LessOrEqual(t, c.FramesSent, uint64(1), "each rank sends to its parent once")
				require.LessOrEqual(t, hops(route.Hypercube(ranks), from, root), log)
			}
		}
	}
}

func hops(t route.Topology, from, to int) (n int) {
	for ; from != to; n++ {
		from = t.Next(from, to)
	}
	return n
}

// An all-to-all takes exactly the frames that follow from the routes: each link's pebbles over the coalescing factor,
// rounded up. So the total is within a frame per buffer of TRAM's table I: z/g to N z/g for z pebbles, buffers of g,
// and routes of at most N hops (TRAM, section IV.C).
func TestFramesOfAnAllToAll(t *testing.T) {
	const items = 3 // from each rank to each other
	for _, c := range []struct {
		name  string
		ranks int
	}{
		{"direct", 16}, {"hypercube", 13}, {"hypercube", 256}, {"mesh:4x4x4", 64}, {"mesh:16x16", 256}, {"mesh:3", 50},
		{"tree", 33}, {"two-stage", 9},
	} {
		for _, g := range []int{8, 20} {
			t.Run(fmt.Sprintf("%s, %d ranks, %d a buffer", c.name, c.ranks, g), func(t *testing.T) {
				make1, err := route.ByName(c.name)
				require.NoError(t, err)
				got := make([]int, c.ranks)
				config := pebble.Config{Ranks: c.ranks, Topology: make1, Coalesce: g,
					Termination: termination.Ordered, Due: -1}
				counters := job(t, config, func(r *pebble.Rank) error {
					item := target.New(r, "item", distribution.Cyclic(uint64(c.ranks), c.ranks), target.Key(identity),
						target.Batch(func(vs []uint64) { got[r.ID()] += len(vs) }))
					return epoch(r, func() {
						for i := range items * c.ranks {
							if to := i % c.ranks; to != r.ID() {
								item.Send(uint64(to))
							}
						}
					}, pebble.Depth(1))
				})
				topology := make1(c.ranks)
				want, buffers := framesOf(topology, items, g)
				for rank, sent := range counters {
					require.Equal(t, items*(c.ranks-1), got[rank])
					require.EqualValues(t, want[rank], sent.FramesSent)
				}
				z, frames := items*c.ranks*(c.ranks-1), int(total(counters).FramesSent)
				n, ok := route.Hops(topology)
				require.True(t, ok)
				require.GreaterOrEqual(t, frames, z/g)
				require.LessOrEqual(t, frames, n*z/g+buffers)
			})
		}
	}
}

// framesOf counts the frames of each rank in an all-to-all, along all routes, and the buffers in use.
func framesOf(t route.Topology, items, g int) (frames []int, buffers int) {
	pebbles := map[[2]int]int{}
	for from := range t.Ranks() {
		for to := range t.Ranks() {
			for here := from; here != to; {
				next := t.Next(here, to)
				pebbles[[2]int{here, next}] += items
				here = next
			}
		}
	}
	frames = make([]int, t.Ranks())
	for link, n := range pebbles {
		frames[link[0]] += (n + g - 1) / g
	}
	return frames, len(pebbles)
}

// decodes is amounts with a count of decoded pebbles.
type decodes struct {
	amounts
	n *atomic.Uint64
}

func (d decodes) Decode(src []byte) (amount, error) {
	d.n.Add(1)
	return d.amounts.Decode(src)
}

// A hop with its cache turned off passes records on unchanged, as one without a cache does.
func TestCacheThatIsOffDecodesNothing(t *testing.T) {
	const ranks, sends = 4, 20_000
	var decoded atomic.Uint64
	sum := total(job(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 64}, func(r *pebble.Rank) error {
		put := target.New(r, "put", distribution.Cyclic(ranks*sends, ranks), byKey, target.Each(func(amount) {}),
			target.Coded[amount](decodes{n: &decoded}), target.Reduce(added))
		return epoch(r, func() {
			for i := range uint64(sends) { // no key comes twice
				put.Send(amount{uint64(r.ID())*sends + i, 1})
			}
		})
	}))
	require.EqualValues(t, ranks*sends, sum.PebblesHandled)
	require.Zero(t, sum.Merged)
	require.Positive(t, sum.Forwarded)
	arrived := sum.PebblesHandled - sum.PebblesHandled/ranks // a rank's own pebbles are not encoded
	require.GreaterOrEqual(t, decoded.Load(), arrived)
	require.Less(t, decoded.Load()-arrived, sum.Forwarded/4, "of %d that hops passed on", sum.Forwarded)
}
