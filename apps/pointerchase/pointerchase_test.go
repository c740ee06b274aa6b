package pointerchase

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The message visits the ranks of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	c := Config{Rounds: 5, Common: apps.Common{Seed: 11}}
	appstest.General(t, func(t *testing.T, s appstest.Shape) {
		want := Serial(s.Ranks, c)
		visited := make([]int, len(want))
		results := make([]Result, s.Ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			b := newBench(r, c)
			results[r.ID()], err = b.run()
			for n := uint64(1); n <= b.tally.Handled; n++ {
				visited[b.turn(n)-1] = r.ID() + 1
			}
			return err
		}))
		for i := range visited {
			visited[i]--
		}
		require.Equal(t, want, visited)
		for _, got := range results {
			require.Zero(t, got.Errors)
			require.EqualValues(t, 5*s.Ranks, got.Hops)
			require.Equal(t, 1, got.Coalesce)
		}
	})
}

func TestRun(t *testing.T) {
	for _, ranks := range []int{1, 2, 7, 33} {
		var calls []uint64
		c := Config{Rounds: 200, Common: apps.Common{Seed: 5, Progress: func(done, total uint64) {
			require.EqualValues(t, 200, total)
			calls = append(calls, done)
		}}}
		for _, got := range appstest.All(t, appstest.Mem(ranks), Run, c) {
			require.Zero(t, got.Errors)
			require.EqualValues(t, 200*ranks, got.Hops)
			require.EqualValues(t, got.Hops, got.Counters.PebblesHandled)
			require.Positive(t, got.SecondsPerHop)
			require.Len(t, got.Rows(), 2)
		}
		require.Len(t, calls, 100)
		require.IsIncreasing(t, calls)
	}
}

// The ring contains every rank once, and depends on the seed.
func TestRing(t *testing.T) {
	for ranks := 1; ranks <= 40; ranks++ {
		g := newRing(ranks, 1)
		seen := make([]bool, ranks)
		for position := range uint64(ranks) {
			rank := g.at(position)
			require.False(t, seen[rank])
			seen[rank] = true
			require.Equal(t, position, g.position(rank))
		}
	}
	require.NotEqual(t, Serial(40, Config{Rounds: 1, Common: apps.Common{Seed: 1}}), Serial(40, Config{Rounds: 1,
		Common: apps.Common{Seed: 2}}))
}

// Messages at the wrong rank, out of turn, twice or never are all noticed.
func TestVerifierNotices(t *testing.T) {
	require.NoError(t, appstest.Mem(1).Run(t, func(r *pebble.Rank) error {
		count := func(hops ...uint64) uint64 {
			b := newBench(r, Config{Rounds: 3})
			b.send = func(message) {}
			for _, hop := range hops {
				b.visit(message{0, hop})
			}
			return b.verify()
		}
		require.Zero(t, count(1, 2, 3))
		require.EqualValues(t, 3, count())
		require.EqualValues(t, 1, count(1, 2), "never")
		require.EqualValues(t, 2, count(1, 3, 2), "out of turn")
		require.EqualValues(t, 3, count(1, 2, 2, 3), "twice")
		b := newBench(r, Config{Rounds: 1})
		b.send = func(message) {}
		b.visit(message{7, 1})
		require.Zero(t, b.verify())
		require.EqualValues(t, 1, b.tally.Misplaced, "the wrong rank")
		return nil
	}))
}

func TestBadConfig(t *testing.T) {
	require.ErrorContains(t, Config{Rounds: 1 << 59}.Check(4), "pointerchase: ")
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Rounds: 1 << 40}.Check(1000))
}

// A long chase allocates nothing in most steps: a single rank waits for no other.
func TestNoAllocationPerHop(t *testing.T) {
	mallocs := func(rounds uint64) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		appstest.All(t, appstest.Mem(1), Run, Config{Rounds: rounds})
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs - before.Mallocs)
	}
	require.Less(t, mallocs(101000)-mallocs(1000), 0.05*100000)
}
