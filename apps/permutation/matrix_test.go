package permutation

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The whole result is that of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	c := Config{Log2Elements: 6, Seed: 7}
	want := map[int][]uint64{}
	for ranks := 1; ranks <= 16; ranks++ {
		want[ranks] = Serial(ranks, c)
	}
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		out := make([]uint64, s.Ranks*64)
		results := make([]Result, s.Ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			b, err := newBench(r, c)
			if err != nil {
				return err
			}
			results[r.ID()], err = b.run()
			copy(out[r.ID()*64:], b.out)
			return err
		}))
		require.Equal(t, want[s.Ranks], out)
		for _, got := range results {
			require.Zero(t, got.Errors)
			require.EqualValues(t, 64*s.Ranks, got.Elements)
			require.Equal(t, 2*got.Elements, got.Counters.PebblesHandled, "two handlers an element")
			require.Zero(t, got.Counters.Merged)
			require.EqualValues(t, 7, got.Seed)
		}
	})
}

func TestOddSizes(t *testing.T) {
	for _, c := range []Config{{Log2Elements: 1}, {Log2Elements: 3, Seed: ^uint64(0)}, {Log2Elements: 11, Seed: 1}} {
		for _, ranks := range []int{1, 4, 7, 33} {
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				got, err := Run(r, c)
				require.Zero(t, got.Errors)
				return err
			}))
		}
	}
}

// The two arrays are permutations, not each other, and not those of another seed.
func TestOrders(t *testing.T) {
	const n = 3 << 8
	as := func(f func(uint64) uint64) []uint64 {
		var all []uint64
		for i := range uint64(n) {
			all = append(all, f(i))
		}
		return all
	}
	o, other := newOrders(n, 1), newOrders(n, 2)
	data, perm := as(o.dataAt), as(o.permAt)
	require.ElementsMatch(t, as(func(i uint64) uint64 { return i }), data)
	require.ElementsMatch(t, data, perm)
	require.NotEqual(t, data, perm)
	require.NotEqual(t, data, as(other.dataAt))
	require.NotEqual(t, perm, as(other.permAt))
	require.NotEqual(t, perm, as(other.dataAt))
	require.NotEqual(t, data, as(other.permAt))
}

func TestProgressGoesUp(t *testing.T) {
	var seen []uint64
	c := Config{Log2Elements: 18, Progress: func(done, total uint64) {
		require.EqualValues(t, 1<<18, total)
		seen = append(seen, done)
	}}
	s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		_, err := Run(r, c)
		return err
	}))
	require.Equal(t, []uint64{1 << 16, 2 << 16, 3 << 16, 4 << 16}, seen)
}

func TestBadConfig(t *testing.T) {
	for _, c := range []Config{{Log2Elements: -1}, {Log2Elements: 37}} {
		require.ErrorContains(t, c.Check(4), "permutation: ", "%+v", c)
	}
	require.Error(t, Config{}.Check(0))
	require.Error(t, Config{Log2Elements: 36}.Check(1<<25))
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Log2Elements: 36}.Check(1000))
}
