package reduction

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The totals are those of the serial twin under every shape of the network, for one key, a few, and more than a small
// cache has entries or there are items. Kinds take turns: twelve shapes in a row have all of them with every cache.
func TestEveryShape(t *testing.T) {
	keys := []uint64{1, 5, 40, 100, 1000}
	n := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		c := Config{Kind: Kinds()[n%len(Kinds())], Items: 50, Keys: keys[n%len(keys)], Seed: 7}
		n++
		if s.Cache == 0 {
			c.Cache = NoCache
		}
		got := make([]Total, c.Keys)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			b, err := newBench(r, c.withDefaults(r.Config().Cache))
			if err != nil {
				return err
			}
			result, err := b.run()
			if err != nil {
				return err
			}
			if len(b.totals) > 0 {
				copy(got[b.firstKey():], b.totals)
			}
			require.Zero(t, result.Errors)
			require.EqualValues(t, 50*s.Ranks, result.Items)
			require.Equal(t, result.Items, result.Counters.PebblesSent)
			require.Equal(t, result.Items, result.Counters.PebblesHandled+result.Counters.Merged)
			require.Equal(t, s.Cache, result.Cache)
			if s.Cache == 0 {
				require.Zero(t, result.Counters.Merged)
			}
			return nil
		}))
		require.Equal(t, Serial(s.Ranks, c), got, c.Kind)
	})
}

// With one key all but a few items of other ranks than the owner are merged on the way. A cache is emptied at most once
// in 1,024 sends.
func TestMergesOnTheWay(t *testing.T) {
	const ranks, items = 4, 1 << 15
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for cache, least := range map[int]float64{0: 0.99, 64: 0.99, NoCache: 0} {
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: topology}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				got, err := Run(r, Config{Items: items, Cache: cache})
				require.Zero(t, got.Errors)
				require.GreaterOrEqual(t, float64(got.Counters.Merged), least*(ranks-1)*items)
				require.LessOrEqual(t, got.Counters.Merged, uint64((ranks-1)*items))
				require.Equal(t, map[int]int{0: 1024, 64: 64, NoCache: 0}[cache], got.Cache)
				return err
			}))
		}
	}
}

// The cache is the job's when it has one, unless this run is told of another.
func TestWhichCache(t *testing.T) {
	for _, c := range []struct{ job, own, want int }{
		{0, 0, 1024}, {16, 0, 16}, {16, 32, 32}, {16, NoCache, 0}, {0, NoCache, 0}, {0, 32, 32},
	} {
		require.Equal(t, c.want, Config{Cache: c.own}.withDefaults(c.job).entries())
	}
}

func TestProgressGoesUp(t *testing.T) {
	var seen []uint64
	c := Config{Items: 1 << 18, Progress: func(done, total uint64) {
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
	for _, c := range []Config{{Kind: "product"}, {Items: 1 << 59}, {Keys: 1<<40 + 1}, {Cache: -2}} {
		require.ErrorContains(t, c.Check(4), "reduce: ", "%+v", c)
	}
	require.Error(t, Config{}.Check(0))
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Items: 1 << 58, Keys: 1 << 40, Cache: NoCache, Kind: "max"}.Check(4))
}
