package target_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// Random pebbles are addressed by their low bits, and by an equivalent function: each rank must get the same sums, and
// only its own keys. Some distributions have the shortcut to owners, some don't.
func TestLowBits(t *testing.T) {
	type pair struct{ Word, Value uint64 }
	const bits, count = 10, 1000
	maps := []func(ranks int) distribution.Map{
		func(n int) distribution.Map { return distribution.Block(1<<bits, n) }, // the shortcut
		func(n int) distribution.Map { return distribution.Block(1<<(bits+3), n) },
		func(n int) distribution.Map { return distribution.Block(3<<bits, n) },
		func(n int) distribution.Map { return distribution.Cyclic(1<<bits, n) },
		func(n int) distribution.Map { return distribution.Hash(n) },
		func(n int) distribution.Map { return distribution.Block(uint64(n)<<bits, n) }, // all on rank 0
	}
	everywhere(t, 2, len(maps), func(t *testing.T, c pebble.Config, variant int) {
		var sums [2][8]uint64
		job(t, c, func(r *pebble.Rank) error {
			m := maps[variant](c.Ranks)
			for way, keying := range []target.Keying[pair]{
				target.LowBits[pair](bits),
				target.Key(func(p pair) uint64 { return p.Word % (1 << bits) }),
			} {
				u := target.New(r, fmt.Sprint(way), m, keying, target.Each(func(p pair) {
					if m.Owner(p.Word%(1<<bits)) != r.ID() {
						t.Errorf("rank %d got key %d", r.ID(), p.Word%(1<<bits))
					}
					sums[way][r.ID()] += p.Value
				}), target.Reduce(reduce.Duplicates[pair]()))
				random := rand.New(rand.NewPCG(7, uint64(r.ID())))
				appstest.Epoch(r, func() {
					for range count / 100 {
						ps := make([]pair, 100)
						for i := range ps {
							ps[i] = pair{random.Uint64(), random.Uint64()}
						}
						u.SendAll(ps[1:])
						u.Send(ps[0])
					}
				})
			}
			return nil
		})
		require.Equal(t, sums[1], sums[0])
		require.NotZero(t, sums[0])
	})
}

// Pebbles have fewer than 8 bytes, over ranks as keys and over blocks.
func TestLowBitsOfFourBytes(t *testing.T) {
	for bits, owner := range map[int]distribution.Map{
		2: distribution.Ranks(4), 5: distribution.Block(1<<5, 4), 20: distribution.Hash(4),
	} {
		var came [4][]uint32
		job(t, pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
			u := target.New(r, "x", owner, target.LowBits[uint32](bits), target.Each(func(v uint32) {
				came[r.ID()] = append(came[r.ID()], v)
				if got := owner.Owner(uint64(v) & (1<<bits - 1)); got != r.ID() {
					t.Errorf("%d bits: rank %d got %#x, which is of rank %d", bits, r.ID(), v, got)
				}
			}))
			return epochOf(0, r, func() {
				vs := make([]uint32, 1000)
				for i := range vs {
					vs[i] = uint32(i) * 0x9E3779B1
				}
				u.SendAll(vs[1:])
				u.Send(vs[0])
			})
		})
		all := slices.Concat(came[:]...)
		slices.Sort(all)
		require.Len(t, slices.Compact(all), 1000, "%d bits", bits)
	}
}
