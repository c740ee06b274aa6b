package permutation

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The whole result equals that of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	c := Config{Log2Elements: 6, Common: apps.Common{Seed: 7}}
	want := map[int][]uint64{}
	for ranks := 1; ranks <= 16; ranks++ {
		want[ranks] = Serial(ranks, c)
	}
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		out := make([]uint64, s.Ranks*64)
		results := make([]Result, s.Ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			b := appstest.Must(newBench(r, c))
			results[r.ID()], err = b.run(b.verify)
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
	for _, c := range []Config{{Log2Elements: 1}, {Log2Elements: 3, Common: apps.Common{Seed: ^uint64(0)}},
		{Log2Elements: 11, Common: apps.Common{Seed: 1}}} {
		for _, ranks := range []int{1, 4, 7, 33} {
			for _, got := range appstest.All(t, appstest.Mem(ranks), Run, c) {
				require.Zero(t, got.Errors)
			}
		}
	}
}

// The two arrays are permutations, differ from each other, and differ from those of another seed.
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
	seen := appstest.Told(t, 2, 1<<18, func(r *pebble.Rank, told apps.Progress) error {
		return appstest.Once(Run, Config{Log2Elements: 18, Common: apps.Common{Progress: told}})(r)
	})
	require.Equal(t, []uint64{1 << 16, 2 << 16, 3 << 16, 4 << 16}, seen)
}

func TestBadConfig(t *testing.T) {
	for _, c := range []Config{{Log2Elements: -1}, {Log2Elements: 37}} {
		require.ErrorContains(t, c.Check(4), "permutation: ", "%+v", c)
	}
	require.Error(t, Config{Log2Elements: 36}.Check(1<<25))
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Log2Elements: 36}.Check(1000))
}

// broken runs the benchmark on three ranks, changes one by harm after the kernel, and returns the verifier's count.
func broken(t *testing.T, harm func(b *bench)) (errors uint64) {
	s := appstest.Mem(3)
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b := appstest.Must(newBench(r, Config{Log2Elements: 8, Common: apps.Common{Seed: 3}}))
		result, err := b.run(func() error {
			if r.ID() == 1 {
				harm(b)
			}
			return b.verify()
		})
		if r.ID() == 0 {
			errors = result.Errors
		}
		return err
	}))
	return errors
}

func TestVerifierNotices(t *testing.T) {
	require.Zero(t, broken(t, func(*bench) {}))
	require.EqualValues(t, 1, broken(t, func(b *bench) { b.out[3] = nowhere }), "an element that never came")
	require.EqualValues(t, 1, broken(t, func(b *bench) { b.out[3] = b.out[4] }), "one element twice, another lost")
	require.EqualValues(t, 2, broken(t, func(b *bench) { b.out[3], b.out[4] = b.out[4], b.out[3] }), "two changed places")
	require.EqualValues(t, 1, broken(t, func(b *bench) { b.out[255] = 3 << 8 }), "an index that is none")
	require.EqualValues(t, 3, broken(t, func(b *bench) { b.tally.Handled += 2 }),
		"two were handled twice, and not counted by the runtime")
	require.EqualValues(t, 256, broken(t, func(b *bench) {
		for i := range b.out {
			b.out[i] = nowhere
		}
	}), "nothing came")
}

// A run of many elements allocates about as much as a run of few.
func TestNoAllocationPerElement(t *testing.T) {
	for _, cache := range []int{0, 64} {
		appstest.SameMallocs(t, cache, 4<<17, appstest.Once(Run, Config{Log2Elements: 10}),
			appstest.Once(Run, Config{Log2Elements: 17}))
	}
}
