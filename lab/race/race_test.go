package race_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/race"
	"github.com/activepebbles/pebbles/tune"
)

var (
	start = tune.Setting{Topology: "direct", Coalesce: 1024}
	space = tune.Space{Topologies: []string{"direct", "hypercube", "mesh:2", "mesh:3", "tree"}, Coalesce: factors,
		Cache: []int{0, 1 << 10, 1 << 14, 1 << 18}}
	factor = tune.Space{Topologies: []string{"direct"}, Coalesce: factors, Cache: []int{0}}
)

var factors = []int{16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 1 << 14}

// whole is the rate by setting: topologies with best factors of their own, and a cache that pays up to a size.
func whole(s tune.Setting) float64 {
	top := map[string]struct{ rate, best float64 }{
		"direct": {1, 4096}, "hypercube": {1.5, 256}, "mesh:2": {1.9, 512}, "mesh:3": {1.7, 256}, "tree": {0.3, 64},
	}[s.Topology]
	off := math.Log2(float64(s.Coalesce) / top.best)
	cache := map[int]float64{0: 1, 1 << 10: 1.1, 1 << 14: 1.4, 1 << 18: 0.8}[s.Cache]
	return 1e6 * top.rate * cache / (1 + 0.04*off*off)
}

// raced runs a race against a surface to its end. Each run is as much slower than the one before as slower says.
func raced(t testing.TB, c tune.Config, runs int, noise, slower float64,
	seed uint64) (*race.Race, map[tune.Setting]int) {
	one, err := race.New(c, runs)
	require.NoError(t, err)
	rng, count := rand.New(rand.NewPCG(seed, 11)), map[tune.Setting]int{}
	for n := 0; ; n++ {
		next, on := one.Next()
		if !on {
			return one, count
		}
		again, _ := one.Next()
		require.Equal(t, next, again)
		require.Less(t, n, runs, "no more runs than allowed")
		count[next]++
		one.Saw(1e6 / whole(next) * math.Exp(noise*rng.NormFloat64()) * math.Pow(1+slower, float64(n)))
	}
}

// quality is the rate of what a race has found, as part of the best in its space.
func quality(one *race.Race, c tune.Config) float64 {
	best := 0.0
	for _, topology := range c.Space.Topologies {
		for _, factor := range c.Space.Coalesce {
			for _, cache := range c.Space.Cache {
				best = max(best, whole(tune.Setting{Topology: topology, Coalesce: factor, Cache: cache}))
			}
		}
	}
	return whole(one.Setting()) / best
}

// A race finds a setting near the best one although it takes part in each third factor and two caches alone, runs are
// noisy, and the machine gets slower all the time; with a model of what caches can't tell in half as many runs.
func TestRaceComesNearTheBest(t *testing.T) {
	from := uint64(1) // what is asserted holds for nearly all seeds
	model := func(s tune.Setting) float64 { s.Cache = 0; return 1 / whole(s) }
	for _, c := range []struct {
		runs          int
		predict       func(tune.Setting) float64
		noise, slower float64
	}{{64, nil, 0, 0}, {64, nil, 0.05, 0}, {64, nil, 0.05, 0.01}, {32, model, 0.05, 0.01}} {
		for i := range uint64(20) {
			config := tune.Config{Start: start, Space: space, Predict: c.predict}
			one, _ := raced(t, config, c.runs, c.noise, c.slower, from+i)
			require.GreaterOrEqual(t, quality(one, config), 0.85, "%+v, seed %d: %v", c, from+i, one.Setting())
		}
	}
}

// Any number of runs will do, none is too many for what they may be, and a winner has run as often as anybody.
func TestRaceOfAnyRuns(t *testing.T) {
	for _, s := range []tune.Space{space, factor, {}} {
		for runs := range 200 {
			one, count := raced(t, tune.Config{Start: start, Space: s}, runs, 0, 0, 1)
			most, all := 0, 0
			for _, n := range count {
				most, all = max(most, n), all+n
			}
			require.Equal(t, all, one.Runs())
			if one.Setting() != start {
				require.Equal(t, most, count[one.Setting()], "%d runs", runs)
				require.GreaterOrEqual(t, runs, race.Least)
			}
			racing := runs
			if runs >= race.Least { // of the duel the outcome may be known early
				racing -= max(race.Least-2, runs/3)
			}
			if len(s.Topologies) > 1 && racing > 8 {
				require.GreaterOrEqual(t, 4*all, 3*racing, "runs are used")
			}
		}
	}
}

// Where runs are too few for all, those take part that the model likes.
func TestRaceIsWithThoseThatTheModelLikes(t *testing.T) {
	likes := func(s tune.Setting) float64 {
		if s.Topology == "mesh:3" {
			return 1
		}
		return 2
	}
	_, count := raced(t, tune.Config{Start: start, Space: space, Predict: likes}, 9, 0, 0, 1)
	for s := range count {
		require.True(t, s == start || s.Topology == "mesh:3", "%v", s)
	}
	require.Greater(t, len(count), 4)
	never := func(s tune.Setting) float64 {
		if s.Topology == "direct" {
			return 1
		}
		return math.Inf(1)
	}
	_, count = raced(t, tune.Config{Start: start, Space: space, Predict: never}, 100, 0, 0, 1)
	for s := range count {
		require.Equal(t, "direct", s.Topology, "what can't be takes no part")
	}
}

// The profile says how much faster the winner was than the start, over runs of both, and why others dropped out.
func TestRaceProfile(t *testing.T) {
	one, _ := raced(t, tune.Config{Start: start, Space: space}, 64, 0, 0, 1)
	p := one.Profile(tune.For{App: "randomaccess"}, time.Unix(0, 0).UTC())
	require.Equal(t, one.Setting(), p.Setting)
	require.InDelta(t, whole(p.Setting)/whole(start), p.Gain, 1e-9)
	require.InDelta(t, whole(p.Setting)/1e6, p.Rate, 1e-9)
	last := p.Decisions[len(p.Decisions)-1]
	require.True(t, last.Kept)
	require.Equal(t, start, last.From)
	require.Equal(t, p.Setting, last.To)
	require.Contains(t, last.Reason, fmt.Sprintf("%.2f times as fast", p.Gain))
	for _, d := range p.Decisions[:len(p.Decisions)-1] {
		require.False(t, d.Kept)
		require.LessOrEqual(t, d.Ratio, 1.0)
	}

	alone, _ := raced(t, tune.Config{Start: start}, 64, 0, 0, 1)
	p = alone.Profile(tune.For{App: "randomaccess"}, time.Unix(0, 0).UTC())
	require.Equal(t, start, p.Setting)
	require.EqualValues(t, 1, p.Gain)
	require.Empty(t, p.Decisions)
}

func TestRaceMistakes(t *testing.T) {
	_, err := race.New(tune.Config{Start: start}, -1)
	require.ErrorContains(t, err, "-1 runs")
	_, err = race.New(tune.Config{}, 10)
	require.ErrorContains(t, err, "topology has no name")
	one, err := race.New(tune.Config{Start: start, Space: space}, 10)
	require.NoError(t, err)
	one.Saw(0)
	one.Saw(math.NaN())
	require.Zero(t, one.Runs(), "a run that took no time is none")
}

// Settings that are equal are never told as a gain, however noisy runs are, and whatever the machine does meanwhile.
func TestEqualSettingsGainNothing(t *testing.T) {
	for _, c := range []struct{ noise, slower, odd float64 }{
		{0.02, 0, 0}, {0.3, 0, 0}, {0.05, 0.01, 0}, {0.05, 0, 0.3}, {1, 0, 0},
	} {
		for _, runs := range []int{2, 8, 20, 22, 40, 64, 200} {
			for seed := range uint64(50) {
				one, err := race.New(tune.Config{Start: start, Space: space}, runs)
				require.NoError(t, err)
				rng, n := rand.New(rand.NewPCG(seed, 3)), 0
				for _, on := one.Next(); on; _, on = one.Next() {
					seconds := math.Exp(c.noise*rng.NormFloat64()) * math.Pow(1+c.slower, float64(n))
					if rng.Float64() < c.odd {
						seconds *= 3
					}
					one.Saw(seconds)
					n++
				}
				p := one.Profile(tune.For{App: "any"}, time.Unix(0, 0).UTC())
				require.Equal(t, start, p.Setting, "%+v, %d runs, seed %d: %+v", c, runs, seed, p.Decisions)
				require.EqualValues(t, 1, p.Gain)
				for _, d := range p.Decisions {
					require.False(t, d.Kept)
				}
			}
		}
	}
}
