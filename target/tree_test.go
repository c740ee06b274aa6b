package target_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

// All ranks send to one key, with a combining reduction, along a hypercube: routing and reduction make a reduction tree
// of themselves (Active Pebbles, section 3.5 and figure 2c). It has at most P-1 frames, ⌈log2 P⌉ stages, and the root
// receives at most ⌈log2 P⌉ of them.
func TestReductionTreeEmerges(t *testing.T) {
	for _, detector := range []termination.Maker{termination.Ordered, termination.Auto} {
		for ranks := 1; ranks <= 64; ranks++ {
			root := ranks * 2 / 3
			log := bits.Len(uint(ranks - 1))
			counters := make([]pebble.Counters, ranks)
			got := uint64(0)
			c := pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 16, Termination: detector, Due: -1}
			require.NoError(t, run(t, c, func(r *pebble.Rank) error {
				sum := target.New(r, "sum", distribution.Cyclic(uint64(ranks), ranks),
					target.Key(func(uint64) uint64 { return uint64(root) }),
					target.Each(func(v uint64) { got += v }),
					target.Reduce(reduce.Combine(func(a, b uint64) uint64 { return a + b })))
				err := r.Epoch(func() error {
					for range 100 {
						sum.Send(uint64(r.ID()) + 1)
					}
					return nil
				}, pebble.Depth(1))
				counters[r.ID()] = r.Counters()
				return err
			}))
			require.EqualValues(t, 100*ranks*(ranks+1)/2, got)
			frames := uint64(0)
			for _, c := range counters {
				frames += c.FramesSent
				require.LessOrEqual(t, c.FramesSent, uint64(1), "each rank sends to its parent once")
			}
			require.LessOrEqual(t, frames, uint64(ranks-1))
			require.LessOrEqual(t, counters[root].FramesReceived, uint64(log))
			for from := range ranks {
				if from != root {
					require.LessOrEqual(t, hops(route.Hypercube(ranks), from, root), log)
				}
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

// An all-to-all takes exactly the frames that the routes make: each link's pebbles over the coalescing factor, rounded
// up. So the whole is within a frame a buffer of TRAM's table I: z/g to N z/g for z pebbles, buffers of g, and routes
// of at most N hops (TRAM, section IV.C).
func TestFramesOfAnAllToAll(t *testing.T) {
	for _, c := range []struct {
		topology string
		ranks    int
	}{
		{"direct", 16}, {"hypercube", 13}, {"hypercube", 256}, {"mesh:4x4x4", 64}, {"mesh:16x16", 256}, {"mesh:3",
			50}, {"tree", 33},
		{"two-stage", 9},
	} {
		for _, g := range []int{8, 20} {
			t.Run(fmt.Sprintf("%s, %d ranks, %d a buffer", c.topology, c.ranks, g), func(t *testing.T) {
				make1, err := route.ByName(c.topology)
				require.NoError(t, err)
				topology := make1(c.ranks)
				const items = 3 // from each rank to each other
				frames, got := make([]uint64, c.ranks), make([]int, c.ranks)
				config := pebble.Config{Ranks: c.ranks, Topology: make1, Coalesce: g,
					Termination: termination.Ordered, Due: -1}
				require.NoError(t, run(t, config, func(r *pebble.Rank) error {
					item := target.New(r, "item", distribution.Cyclic(uint64(c.ranks), c.ranks),
						target.Key(func(to uint64) uint64 { return to }),
						target.Batch(func(vs []uint64) { got[r.ID()] += len(vs) }))
					err := r.Epoch(func() error {
						for range items {
							for to := range c.ranks {
								if to != r.ID() {
									item.Send(uint64(to))
								}
							}
						}
						return nil
					}, pebble.Depth(1))
					frames[r.ID()] = r.Counters().FramesSent
					return err
				}))
				want, buffers := framesOf(topology, items, g)
				total := 0
				for rank := range c.ranks {
					require.Equal(t, items*(c.ranks-1), got[rank])
					require.EqualValues(t, want[rank], frames[rank])
					total += want[rank]
				}
				z := items * c.ranks * (c.ranks - 1)
				n, ok := route.Hops(topology)
				require.True(t, ok)
				require.GreaterOrEqual(t, total, z/g)
				require.LessOrEqual(t, total, n*z/g+buffers)
			})
		}
	}
}

// framesOf counts the frames of each rank in an all-to-all, by following all routes, and the buffers in use.
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
