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

// The seed is fixed: assertions on random worlds hold for nearly all seeds, not for all.
func seed(*testing.T) uint64 { return 1 }

// surface returns the rate of a job with a setting, in its n-th window.
type surface func(s tune.Setting, window int) float64

// world plays a tuner against a surface, with noise.
type world struct {
	surface  surface
	config   tune.Config
	noise    float64
	rng      *rand.Rand
	windows  int
	seconds  float64 // elapsed
	start    float64 // time that the start would have taken
	worst    float64 // largest loss of the job against the start, as a fraction of the start's time
	changes  []int   // windows where the setting in force changed
	tried    int     // windows of experiments
	tuner    *tune.Tuner
	timed    bool    // windows take a second each; otherwise they do equal work
	overhead float64 // as a fraction of a window
	odd      float64 // share of windows that take three times as long
}

func newWorld(t testing.TB, s surface, c tune.Config, noise float64, seed uint64) *world {
	tuner, err := tune.New(c)
	require.NoError(t, err)
	return &world{surface: s, config: c, noise: noise, rng: rand.New(rand.NewPCG(seed, 9)), tuner: tuner}
}

// step runs a window. The account of losses has no noise: no tuner can guarantee a bound against chance.
func (w *world) step() {
	next, before := w.tuner.Next(), w.tuner.Setting()
	rate := w.surface(next, w.windows)
	seconds, work := 1/rate, 1.0
	if w.timed {
		seconds, work = 1, rate
	}
	w.seconds += seconds * (1 + w.overhead)
	w.start += work / w.surface(w.config.Start, w.windows)
	w.worst = max(w.worst, w.seconds/w.start-1)
	if next != before {
		w.tried++
	}
	w.windows++
	if w.odd > 0 && w.rng.Float64() < w.odd {
		seconds *= 3
	}
	w.tuner.Observe(tune.Window{Work: work, Seconds: seconds * math.Exp(w.noise*w.rng.NormFloat64()),
		Overhead: seconds * w.overhead})
	if w.tuner.Setting() != before {
		w.changes = append(w.changes, w.windows)
	}
}

func (w *world) run(windows int) {
	for range windows {
		w.step()
	}
}

// best returns the rate of the best setting in the space, and quality that of the setting in force as a fraction of it.
func (w *world) best() (best float64) {
	for _, topology := range w.config.Space.Topologies {
		for _, c := range w.config.Space.Coalesce {
			for _, cache := range w.config.Space.Cache {
				best = max(best, w.surface(tune.Setting{Topology: topology, Coalesce: c, Cache: cache}, w.windows))
			}
		}
	}
	return best
}

func (w *world) quality() float64 { return w.surface(w.tuner.Setting(), w.windows) / w.best() }

// gain returns the gain shown by the last check.
func (w *world) gain() float64 { return w.tuner.Profile(job, time.Time{}).Gain }

func (w *world) String() string {
	text := fmt.Sprintf("%v\n", w.tuner.Reason())
	for _, d := range w.tuner.Log() {
		text += fmt.Sprintf("%5d %-9s %s\n", d.Window, d.Phase, d.Reason)
	}
	return text
}

var (
	start = tune.Setting{Topology: "direct", Coalesce: 1024}
	space = tune.Space{Topologies: []string{"direct", "hypercube", "mesh:2", "mesh:3", "tree"}, Coalesce: factors,
		Cache: []int{0, 1 << 10, 1 << 14, 1 << 18}}
	factor = tune.Space{Topologies: []string{"direct"}, Coalesce: factors, Cache: []int{0}}
)

var factors = func() (all []int) {
	for c := 16; c <= 1<<14; c *= 2 {
		all = append(all, c)
	}
	return all
}()

// hill is a response with one best factor: the cost of messages falls with the factor, and the cost of waiting grows.
func hill(best float64, steep float64) surface {
	return func(s tune.Setting, _ int) float64 {
		off := math.Log2(float64(s.Coalesce) / best)
		return 1e6 / (1 + steep*off*off)
	}
}

// cliff is a response that grows up to a factor and falls beyond it, as if buffers leave the cache.
func cliff(edge float64, fall float64) surface {
	return func(s tune.Setting, _ int) float64 {
		c := float64(s.Coalesce)
		rate := 1e6 * c / (c + 200)
		if c > edge {
			rate /= fall
		}
		return rate
	}
}

// flat is the same for all settings.
func flat(tune.Setting, int) float64 { return 1e6 }

// whole has all three dimensions: topologies with separate best factors, and a cache that pays up to a size.
func whole(s tune.Setting, _ int) float64 {
	top := map[string]struct{ rate, best float64 }{
		"direct": {1, 4096}, "hypercube": {1.5, 256}, "mesh:2": {1.9, 512}, "mesh:3": {1.7, 256}, "tree": {0.3, 64},
	}[s.Topology]
	off := math.Log2(float64(s.Coalesce) / top.best)
	cache := map[int]float64{0: 1, 1 << 10: 1.1, 1 << 14: 1.4, 1 << 18: 0.8}[s.Cache]
	return 1e6 * top.rate * cache / (1 + 0.04*off*off)
}

// alternating alternates two loads, for the given number of windows each, with best factors far apart.
func alternating(windows int) surface {
	return func(s tune.Setting, n int) float64 {
		if n/windows%2 == 1 {
			return hill(64, 0.1)(s, n) / 2
		}
		return hill(4096, 0.1)(s, n)
	}
}
