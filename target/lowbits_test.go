package target_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// TestLowBits sends random pebbles by their low bits, and by a function that says the same: each rank must get the same
// sums, and only keys of its own. Some distributions have the short way to owners, some don't.
func TestLowBits(t *testing.T) {
	type pair struct{ Word, Value uint64 }
	const bits, count = 10, 5000
	for name, owner := range map[string]func(ranks int) distribution.Map{
		"short":            func(n int) distribution.Map { return distribution.Block(1<<bits, n) },
		"more keys":        func(n int) distribution.Map { return distribution.Block(1<<(bits+3), n) },
		"no power of two":  func(n int) distribution.Map { return distribution.Block(3<<bits, n) },
		"cyclic":           func(n int) distribution.Map { return distribution.Cyclic(1<<bits, n) },
		"hashed":           func(n int) distribution.Map { return distribution.Hash(n) },
		"all on the first": func(n int) distribution.Map { return distribution.Block(uint64(n)<<bits, n) },
	} {
		for _, ranks := range []int{1, 2, 3, 4, 8} {
			for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
				for _, cache := range []int{0, 16} {
					t.Run(fmt.Sprintf("%s, %d ranks, %s, cache %d", name, ranks, topology(ranks).Name(), cache),
						func(t *testing.T) {
							var sums [2][8]uint64
							err := run(t, pebble.Config{Ranks: ranks, Topology: topology, Cache: cache},
								func(r *pebble.Rank) error {
									m := owner(ranks)
									once := target.Reduce(reduce.Duplicates[pair]())
									for way, keying := range []target.Keying[pair]{
										target.LowBits[pair](bits),
										target.Key(func(p pair) uint64 { return p.Word % (1 << bits) }),
									} {
										u := target.New(r, fmt.Sprint(way), m, keying, target.Each(func(p pair) {
											if m.Owner(p.Word%(1<<bits)) != r.ID() {
												t.Errorf("rank %d got key %d", r.ID(), p.Word%(1<<bits))
											}
											sums[way][r.ID()] += p.Value
										}), once)
										random := rand.New(rand.NewPCG(7, uint64(r.ID())))
										if err := r.Epoch(func() error {
											for range count / 100 {
												ps := make([]pair, 100)
												for i := range ps {
													ps[i] = pair{random.Uint64(), random.Uint64()}
												}
												u.SendAll(ps[1:])
												u.Send(ps[0])
											}
											return nil
										}); err != nil {
											return err
										}
									}
									return nil
								})
							require.NoError(t, err)
							require.Equal(t, sums[1], sums[0])
							require.NotZero(t, sums[0])
						})
				}
			}
		}
	}
}

// TestLowBitsOfFourBytes has pebbles that have no 8 bytes, over ranks as keys and over blocks.
func TestLowBitsOfFourBytes(t *testing.T) {
	for name, owner := range map[string]distribution.Map{
		"ranks": distribution.Ranks(4), "blocks": distribution.Block(1<<5, 4), "hashed": distribution.Hash(4),
	} {
		var came [4][]uint32
		require.NoError(t, run(t, pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
			bits := map[string]int{"ranks": 2, "blocks": 5, "hashed": 20}[name]
			u := target.New(r, "x", owner, target.LowBits[uint32](bits), target.Each(func(v uint32) {
				came[r.ID()] = append(came[r.ID()], v)
				if got := owner.Owner(uint64(v) & (1<<bits - 1)); got != r.ID() {
					t.Errorf("%s: rank %d got %#x, which is of rank %d", name, r.ID(), v, got)
				}
			}))
			return r.Epoch(func() error {
				if r.ID() == 0 {
					vs := make([]uint32, 1000)
					for i := range vs {
						vs[i] = uint32(i) * 0x9E3779B1
					}
					u.SendAll(vs[1:])
					u.Send(vs[0])
				}
				return nil
			})
		}), name)
		all := slices.Concat(came[:]...)
		slices.Sort(all)
		require.Len(t, slices.Compact(all), 1000, name)
	}
}

// TestLowBitsOutside has more bits than the distribution has keys.
func TestLowBitsOutside(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		u := target.New(r, "x", distribution.Block(8, 4), target.LowBits[uint64](4), target.Each(func(uint64) {}))
		return r.Epoch(func() error {
			u.SendAll([]uint64{7, 7 + 16, 8})
			return nil
		})
	})
	var outside *pebble.KeyError
	require.ErrorAs(t, err, &outside)
	require.ErrorContains(t, err, "to key 8, which is outside")
}
