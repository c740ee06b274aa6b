package tune_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/tune"
)

// raced runs a race against a surface to its end. Each run is as much slower than the one before as slower says.
func raced(t testing.TB, s surface, c tune.Config, runs int, noise, slower float64, seed uint64) (*tune.Race, map[tune.Setting]int) {
	race, err := tune.NewRace(c, runs)
	require.NoError(t, err)
	rng, count := rand.New(rand.NewPCG(seed, 11)), map[tune.Setting]int{}
	for n := 0; ; n++ {
		next, on := race.Next()
		if !on {
			return race, count
		}
		again, _ := race.Next()
		require.Equal(t, next, again)
		require.Less(t, n, runs, "no more runs than allowed")
		count[next]++
		race.Saw(1e6 / s(next, n) * math.Exp(noise*rng.NormFloat64()) * math.Pow(1+slower, float64(n)))
	}
}

// quality is the rate of what a race has found, as part of the best in its space.
func quality(race *tune.Race, s surface, c tune.Config) float64 {
	best := 0.0
	for _, topology := range c.Space.Topologies {
		for _, factor := range c.Space.Coalesce {
			for _, cache := range c.Space.Cache {
				best = max(best, s(tune.Setting{Topology: topology, Coalesce: factor, Cache: cache}, 0))
			}
		}
	}
	return s(race.Setting(), 0) / best
}

// A race finds a setting near the best one although it takes part in each third factor and two caches alone, runs are noisy, and the machine gets
// slower all the time; with a model of what caches can't tell in half as many runs.
func TestRaceComesNearTheBest(t *testing.T) {
	from := seed(t)
	model := func(s tune.Setting) float64 { s.Cache = 0; return 1 / whole(s, 0) }
	for _, c := range []struct {
		runs          int
		predict       func(tune.Setting) float64
		noise, slower float64
	}{{64, nil, 0, 0}, {64, nil, 0.05, 0}, {64, nil, 0.05, 0.01}, {32, model, 0.05, 0.01}} {
		for i := range uint64(20) {
			config := tune.Config{Start: start, Space: space, Predict: c.predict}
			race, _ := raced(t, whole, config, c.runs, c.noise, c.slower, from+i)
			require.GreaterOrEqual(t, quality(race, whole, config), 0.85, "%+v, seed %d: %v", c, from+i, race.Setting())
		}
	}
}

// Any number of runs will do, none is too many for what they may be, and the winner has run as often as anybody.
func TestRaceOfAnyRuns(t *testing.T) {
	for _, s := range []tune.Space{space, factor, {}} {
		for runs := range 200 {
			race, count := raced(t, whole, tune.Config{Start: start, Space: s}, runs, 0, 0, 1)
			most, all := 0, 0
			for _, n := range count {
				most, all = max(most, n), all+n
			}
			require.Equal(t, all, race.Runs())
			require.Equal(t, most, count[race.Setting()], "%d runs", runs)
			if len(s.Topologies) > 1 && runs > 8 {
				require.GreaterOrEqual(t, 4*all, 3*runs, "runs are used")
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
	_, count := raced(t, whole, tune.Config{Start: start, Space: space, Predict: likes}, 9, 0, 0, 1)
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
	_, count = raced(t, whole, tune.Config{Start: start, Space: space, Predict: never}, 100, 0, 0, 1)
	for s := range count {
		require.Equal(t, "direct", s.Topology, "what can't be takes no part")
	}
}

// The profile says how much faster the winner was than the start, over runs of both, and why others dropped out.
func TestRaceProfile(t *testing.T) {
	race, _ := raced(t, whole, tune.Config{Start: start, Space: space}, 64, 0, 0, 1)
	p := race.Profile(job, time.Unix(0, 0).UTC())
	require.Equal(t, race.Setting(), p.Setting)
	require.InDelta(t, whole(p.Setting, 0)/whole(start, 0), p.Gain, 1e-9)
	require.InDelta(t, whole(p.Setting, 0)/1e6, p.Rate, 1e-9)
	last := p.Decisions[len(p.Decisions)-1]
	require.True(t, last.Kept)
	require.Equal(t, start, last.From)
	require.Equal(t, p.Setting, last.To)
	require.Contains(t, last.Reason, fmt.Sprintf("%.2f times as fast", p.Gain))
	for _, d := range p.Decisions[:len(p.Decisions)-1] {
		require.False(t, d.Kept)
		require.LessOrEqual(t, d.Ratio, 1.0)
	}

	alone, _ := raced(t, whole, tune.Config{Start: start}, 64, 0, 0, 1)
	p = alone.Profile(job, time.Unix(0, 0).UTC())
	require.Equal(t, start, p.Setting)
	require.EqualValues(t, 1, p.Gain)
	require.Empty(t, p.Decisions)
}

func TestRaceMistakes(t *testing.T) {
	_, err := tune.NewRace(tune.Config{Start: start}, -1)
	require.ErrorContains(t, err, "-1 runs")
	_, err = tune.NewRace(tune.Config{}, 10)
	require.ErrorContains(t, err, "topology has no name")
	race, err := tune.NewRace(tune.Config{Start: start, Space: space}, 10)
	require.NoError(t, err)
	race.Saw(0)
	race.Saw(math.NaN())
	require.Zero(t, race.Runs(), "a run that took no time is none")
}
