package tune_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/tune"
)

// TestFactorWithinFive: without a model, from 1,024 pebbles per buffer, a factor within 10 % of any best one takes at
// most 5 decisions (TRAM, section V.E).
func TestFactorWithinFive(t *testing.T) {
	from := seed(t)
	for _, best := range factors {
		for _, noise := range []float64{0, 0.03} {
			for i := range uint64(5) {
				w := newWorld(t, hill(float64(best), 0.05), tune.Config{Start: start, Space: factor}, noise, from+i)
				for len(w.tuner.Log()) < 5 && !w.tuner.Settled() {
					w.step()
				}
				require.GreaterOrEqual(t, w.quality(), 0.9, "best %d, noise %v\n%s", best, noise, w)
				w.run(1000)
				require.GreaterOrEqual(t, w.quality(), 0.95, "best %d, noise %v\n%s", best, noise, w)
			}
		}
	}
}

// TestWholeWithinTwentyFive: topology, factor and cache are within 10 % of the best after 25 decisions.
func TestWholeWithinTwentyFive(t *testing.T) {
	from := seed(t)
	for _, timed := range []bool{false, true} {
		for _, noise := range []float64{0, 0.03, 0.1} {
			for i := range uint64(4) {
				w := newWorld(t, whole, tune.Config{Start: start, Space: space}, noise, from+i)
				w.timed = timed
				for len(w.tuner.Log()) < 25 && !w.tuner.Settled() {
					w.step()
					require.Less(t, w.windows, 20000, w)
				}
				good := 0.9
				if noise >= 0.1 {
					good = 0.85
				}
				require.GreaterOrEqual(t, w.quality(), good, "noise %v\n%s", noise, w)
				if w.run(3000); noise < 0.1 {
					require.GreaterOrEqual(t, w.quality(), 0.95, "in the end, noise %v\n%s", noise, w)
				}
			}
		}
	}
}

// TestBound: at no moment has the job lost more than 5 % of the start's time, apart from noise in the account; also if
// the start is the best setting, and if settings beyond a cliff are a hundred times as slow. After the tuner has
// settled, nothing moves as long as the load does not.
func TestBound(t *testing.T) {
	from := seed(t)
	for name, s := range map[string]surface{
		"hill at the start": hill(1024, 0.3), "hill far away": hill(16, 0.05), "flat": flat, "whole": whole,
		"cliff": cliff(1024, 10), "high cliff": cliff(1024, 1000), "cliff below": cliff(64, 20),
	} {
		for _, noise := range []float64{0, 0.02, 0.1} {
			for i := range uint64(2) {
				w := newWorld(t, s, tune.Config{Start: start, Space: space}, noise, from+i)
				w.timed = true
				w.run(2000)
				require.LessOrEqual(t, w.worst, 0.05*(1+4*noise)+1e-9, "%s, noise %v\n%s", name, noise, w)
				require.True(t, w.tuner.Settled(), "%s, noise %v\n%s", name, noise, w)
				changes, tried := len(w.changes), w.tried
				w.run(2000)
				require.Len(t, w.changes, changes, "%s, noise %v\n%s", name, noise, w)
				require.Equal(t, tried, w.tried, "nothing moves any more: %s, noise %v\n%s", name, noise, w)
			}
		}
	}
}

// TestBoundOfWholeWindows: with epochs the bound holds, and is restored after a slower setting.
func TestBoundOfWholeWindows(t *testing.T) {
	from := seed(t)
	for name, s := range map[string]surface{"hill": hill(1024, 0.1), "flat": flat, "far": hill(64, 0.05)} {
		for i := range uint64(5) {
			w := newWorld(t, s, tune.Config{Start: start, Space: factor}, 0.02, from+i)
			w.run(3000)
			require.LessOrEqual(t, w.worst, 0.052, "%s\n%s", name, w)
			require.True(t, w.tuner.Settled(), "%s\n%s", name, w)
		}
	}
	w := newWorld(t, cliff(1024, 50), tune.Config{Start: start, Space: factor}, 0, from)
	w.run(200)
	require.Greater(t, w.worst, 0.05, "nobody could know")
	tried := w.tried
	for w.seconds > 1.05*w.start {
		w.step()
		require.Equal(t, tried, w.tried, "no experiments while in debt")
	}
	w.run(5000)
	require.LessOrEqual(t, w.seconds, 1.05*w.start)
	require.True(t, w.tuner.Settled())
}

// TestLoadAlternates: a job gains more than its experiments cost, though its load changes and windows take longer.
func TestLoadAlternates(t *testing.T) {
	from := seed(t)
	for _, windows := range []int{50, 150, 500} {
		gain := 0.0
		const worlds = 20
		for i := range uint64(worlds) {
			w := newWorld(t, alternating(windows), tune.Config{Start: start, Space: space}, 0.05, from+i)
			w.odd, w.timed = 0.05, true
			w.run(2000)
			gain += w.start / w.seconds / worlds
		}
		t.Logf("every %d windows: %.3f times as fast as the start", windows, gain)
		require.Greater(t, gain, 1.0)
	}
}

// TestKnown: a setting that is known to be good is kept until a lasting change of the load; then the tuner searches.
func TestKnown(t *testing.T) {
	from := seed(t)
	const change = 500
	for _, noise := range []float64{0, 0.03} {
		load := func(s tune.Setting, window int) float64 {
			if window < change {
				return hill(1024, 0.05)(s, window)
			}
			return hill(64, 0.05)(s, window)
		}
		w := newWorld(t, load, tune.Config{Start: start, Space: factor, Known: true}, noise, from)
		require.True(t, w.tuner.Settled())
		require.Contains(t, w.tuner.Reason(), "known from runs before this one")
		w.run(change)
		require.Zero(t, w.tried, w)
		w.run(2000)
		require.NotZero(t, w.tried)
		require.GreaterOrEqual(t, w.quality(), 0.9, w)
	}
}

// TestOverhead: time lost between windows reduces the room for experiments. If it takes all of it, there are none.
func TestOverhead(t *testing.T) {
	const windows = 200
	first := func(overhead float64) (n int) {
		w := newWorld(t, flat, tune.Config{Start: start, Space: factor}, 0, 1)
		w.overhead = overhead
		for w.tried == 0 && w.windows < windows {
			w.step()
		}
		require.LessOrEqual(t, w.worst, 0.05+1e-9)
		return w.windows
	}
	require.Less(t, first(0), first(0.03))
	require.Less(t, first(0.03), windows)
	require.Equal(t, windows, first(0.05))
}

// TestFlatStays: noise alone does not make the tuner leave its start, except for a small share of its decisions.
func TestFlatStays(t *testing.T) {
	from := seed(t)
	kept, decisions := 0, 0
	for i := range uint64(100) {
		w := newWorld(t, flat, tune.Config{Start: start, Space: space}, 0.1, from+i)
		w.run(1500)
		for _, d := range w.tuner.Log() {
			decisions++
			if d.Kept {
				kept++
			}
		}
	}
	t.Logf("%d of %d changes that are worth nothing were kept", kept, decisions)
	require.Less(t, float64(kept), 0.06*float64(decisions))
}

// TestLoadChanges: if another setting becomes the best permanently, the tuner finds it.
func TestLoadChanges(t *testing.T) {
	from := seed(t)
	for i := range uint64(10) {
		changing := func(s tune.Setting, window int) float64 {
			if window <= 1000 {
				return hill(4096, 0.05)(s, window)
			}
			return 0.5 * hill(64, 0.05)(s, window)
		}
		w := newWorld(t, changing, tune.Config{Start: start, Space: factor}, 0.03, from+i)
		w.run(1000)
		require.GreaterOrEqual(t, w.quality(), 0.9, w)
		require.True(t, w.tuner.Settled())
		w.run(1500)
		require.GreaterOrEqual(t, w.quality(), 0.85, w)
		require.True(t, w.tuner.Settled(), w)
	}
}

// TestLoadDuringSearch: a load that doubles in the middle of the search does not look like a good setting.
func TestLoadDuringSearch(t *testing.T) {
	from := seed(t)
	for i := range uint64(50) {
		at := 3 + int(i)
		growing := func(s tune.Setting, window int) float64 {
			rate := hill(1024, 0.1)(s, window)
			if window >= at {
				rate *= 2
			}
			return rate
		}
		w := newWorld(t, growing, tune.Config{Start: start, Space: factor}, 0.01, from+i)
		w.run(1000)
		for _, d := range w.tuner.Log() {
			require.False(t, d.Kept, "the start is the best there is\n%s", w)
		}
	}
}

// TestOscillation: a load that comes and goes does not keep a tuner searching.
func TestOscillation(t *testing.T) {
	waves := func(s tune.Setting, window int) float64 {
		return hill(1024, 0.05)(s, window) * (1 + 0.5*math.Floor(math.Mod(float64(window)/40, 2)))
	}
	w := newWorld(t, waves, tune.Config{Start: start, Space: factor}, 0.02, seed(t))
	w.run(10000)
	require.LessOrEqual(t, float64(w.tried), 0.1*float64(w.windows), w)
	require.LessOrEqual(t, w.worst, 0.055, w)
}

// TestModel: with a right model the first decision is the best setting apart from the cache, and with a wrong one the
// search continues from the job's start.
func TestModel(t *testing.T) {
	right := func(s tune.Setting) float64 { return 1 / whole(s, 0) }
	w := newWorld(t, whole, tune.Config{Start: start, Space: space, Predict: right}, 0.02, seed(t))
	for len(w.tuner.Log()) < 1 {
		w.step()
	}
	require.Equal(t, "model", w.tuner.Log()[0].Phase)
	require.Equal(t, tune.Setting{Topology: "mesh:2", Coalesce: 512}, w.tuner.Setting(), w)
	wrong := func(s tune.Setting) float64 { return whole(s, 0) }
	w = newWorld(t, whole, tune.Config{Start: start, Space: space, Predict: wrong}, 0.02, seed(t))
	w.timed = true
	w.run(3000)
	require.LessOrEqual(t, w.worst, 0.052)
	require.GreaterOrEqual(t, w.surface(w.tuner.Setting(), 0)/w.surface(start, 0), 1.4,
		"the factor and the cache at the least\n%s", w)
}

// TestPredictor: the model's choice is proposed first; topologies that can't connect the ranks are never tried.
func TestPredictor(t *testing.T) {
	j := model.Job{Ranks: 512, Layout: model.Layout{PerHost: 4, PerProcess: 1}, Pebbles: 1024, Bytes: 8, Epochs: 1,
		Topology: route.Direct, Coalesce: 1}
	predict := tune.Predictor(model.Odin, j)
	surface := func(s tune.Setting, _ int) float64 { return 1 / predict(s) }
	c := tune.Config{
		Start: start, Predict: predict, Space: tune.Space{Topologies: []string{"mesh:3x3", "nosuch", "mesh:2",
			"mesh:3"}, Coalesce: factors},
	}
	w := newWorld(t, surface, c, 0, 1)
	w.config.Space.Topologies, w.config.Space.Cache = append(w.config.Space.Topologies, "direct"), []int{0}
	w.run(300)
	for _, d := range w.tuner.Log() {
		require.NotContains(t, []string{"mesh:3x3", "nosuch"}, d.To.Topology)
	}
	require.GreaterOrEqual(t, w.quality(), 0.97, w)
	require.True(t, math.IsInf(predict(tune.Setting{Topology: "mesh:3x3", Coalesce: 4}), 1))
}

// TestEmptyWindows: a window without work changes nothing.
func TestEmptyWindows(t *testing.T) {
	w := newWorld(t, whole, tune.Config{Start: start, Space: space}, 0, 1)
	w.run(20)
	next, log := w.tuner.Next(), len(w.tuner.Log())
	for _, empty := range []tune.Window{{}, {Work: 1}, {Seconds: 1}, {Work: math.NaN(), Seconds: 1},
		{Work: -1, Seconds: 1}} {
		w.tuner.Observe(empty)
	}
	require.Equal(t, next, w.tuner.Next())
	require.Len(t, w.tuner.Log(), log)
	w.run(1000)
	require.GreaterOrEqual(t, w.quality(), 0.9)
}

// TestReason: Reason always names the setting in force.
func TestReason(t *testing.T) {
	w := newWorld(t, whole, tune.Config{Start: start, Space: space}, 0.02, seed(t))
	require.Contains(t, w.tuner.Reason(), "nothing else was tried yet")
	for range 1500 {
		w.step()
		require.Contains(t, w.tuner.Reason(), w.tuner.Setting().String())
	}
	require.Contains(t, w.tuner.Reason(), "times as fast as direct topology, 1024 pebbles a buffer, no cache")
	require.Contains(t, w.tuner.Reason(), fmt.Sprintf("settled after %d decisions", len(w.tuner.Log())))
	gain := w.surface(w.tuner.Setting(), 0) / w.surface(start, 0)
	require.InEpsilon(t, gain, w.gain(), 0.25)
}

func TestJoin(t *testing.T) {
	require.Equal(t, tune.Window{Work: 5, Seconds: 4}, tune.Window{Work: 2,
		Seconds: 4}.Join(tune.Window{Work: 3, Seconds: 1}))
}

func TestConfigRefuses(t *testing.T) {
	for says, c := range map[string]tune.Config{
		"no name":         {Start: tune.Setting{Coalesce: 1}},
		"factor 0":        {Start: tune.Setting{Topology: "direct"}},
		"cache of -1":     {Start: tune.Setting{Topology: "direct", Coalesce: 1, Cache: -1}},
		"leave them out":  {Start: start, Space: tune.Space{Coalesce: []int{0}}},
		"below 0: leave":  {Start: start, Space: tune.Space{Cache: []int{-4}}},
		"without a name,": {Start: start, Space: tune.Space{Topologies: []string{""}}},
	} {
		_, err := tune.New(c)
		require.ErrorContains(t, err, says)
	}
}

// TestSameEverywhere: tuners that see equal windows propose equal settings, with equal reasons.
func TestSameEverywhere(t *testing.T) {
	n := seed(t)
	a := newWorld(t, whole, tune.Config{Start: start, Space: space}, 0.1, n)
	b := newWorld(t, whole, tune.Config{Start: start, Space: space}, 0.1, n)
	for range 2000 {
		require.Equal(t, a.tuner.Next(), b.tuner.Next())
		require.Equal(t, a.tuner.Reason(), b.tuner.Reason())
		a.step()
		b.step()
	}
	require.Equal(t, a.tuner.Log(), b.tuner.Log())
}

func TestSpace(t *testing.T) {
	open := func(ranks, bytes int) tune.Space {
		s := site(ranks)
		s.Cache, s.PebbleBytes = true, bytes
		return s.Space()
	}
	require.Equal(t, []string{"direct"}, open(2, 8).Topologies)
	s := open(64, 8)
	require.Equal(t, []string{"direct", "hypercube", "mesh:2", "mesh:3"}, s.Topologies)
	require.Equal(t, 1<<14, s.Coalesce[len(s.Coalesce)-1])
	require.Equal(t, []int{16}, open(2, 1<<20).Coalesce)
	require.Contains(t, s.Cache, 0)
}

// TestEqualSettingsGainNothing: if settings are equal, the tuner returns to its start, with any noise and any apparent
// gain during the search, and reports no gain.
func TestEqualSettingsGainNothing(t *testing.T) {
	from, taken := seed(t), 0
	for _, noise := range []float64{0.02, 0.1, 0.3} {
		for _, odd := range []float64{0, 0.1} {
			for i := range uint64(20) {
				w := newWorld(t, flat, tune.Config{Start: start, Space: space, Runs: int(i%3) * 60}, noise, from+i)
				w.odd, w.timed = odd, i%2 == 0
				for range 1000 {
					if n := w.config.Runs; n > 0 && w.windows == n {
						break
					}
					w.step()
					require.EqualValues(t, 1, w.gain(), w)
				}
				for _, d := range w.tuner.Log() {
					require.False(t, d.Kept && d.Phase == "check", w)
				}
				if taken += len(w.changes); w.tuner.Settled() {
					require.Equal(t, start, w.tuner.Setting(), w)
				}
			}
		}
	}
	require.Greater(t, taken, 20, "checks had something to refuse")
}

// TestWholeRuns: a search by a number of whole runs, as pebbles tune makes it, comes near the best although the machine
// keeps slowing down, and never makes more runs.
func TestWholeRuns(t *testing.T) {
	from := seed(t)
	slower := func(s tune.Setting, window int) float64 { return whole(s, window) * math.Pow(0.99, float64(window)) }
	for _, c := range []struct {
		runs  int
		space tune.Space
		good  float64
	}{
		{64, tune.Space{Topologies: []string{"direct", "mesh:2"}, Coalesce: factors, Cache: []int{0}}, 0.9},
		{64, space, 0.75}, {128, space, 0.95},
	} {
		mean := 0.0
		for i := range uint64(20) {
			w := newWorld(t, slower, tune.Config{Start: start, Space: c.space, Runs: c.runs}, 0.05, from+i)
			for w.windows < c.runs && !w.tuner.Settled() {
				w.step()
			}
			mean += w.quality() / 20
		}
		t.Logf("%d runs: %.3f of the best in the mean", c.runs, mean)
		require.GreaterOrEqual(t, mean, c.good)
	}
}

// TestFewRuns: any number of runs suffices; the profile has a setting only after its check.
func TestFewRuns(t *testing.T) {
	for runs := 1; runs < 200; runs++ {
		w := newWorld(t, whole, tune.Config{Start: start, Space: space, Runs: runs}, 0, 1)
		for w.windows < runs && !w.tuner.Settled() {
			w.step()
		}
		p := w.tuner.Profile(job, time.Unix(0, 0).UTC())
		require.Equal(t, p.Gain > 1, p.Setting != start)
		if p.Setting != start {
			require.Greater(t, runs, tune.CheckRuns)
			require.InEpsilon(t, whole(p.Setting, 0)/whole(start, 0), p.Gain, 1e-9)
			require.InEpsilon(t, whole(p.Setting, 0), p.Rate, 1e-9)
		}
	}
}
