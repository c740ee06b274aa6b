//go:build !race

// Simulated ranks take turns: there is nothing to detect for the race detector, and it would take minutes.

package sim_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/tune"
)

// load is a program of many epochs. In each epoch every rank sends pebbles to random keys.
type load struct {
	ranks   int
	epochs  int
	pebbles int // pebbles of a rank in an epoch
}

// run returns the simulated times of the epochs on rank 0 in order, and the result of tuning.
func (l load) run(t *testing.T, c pebble.Config) (took []time.Duration, tuned pebble.Tuned) {
	handled := 0 // total of all ranks, which take turns
	mustRun(t, sim.Config{Ranks: l.ranks, Seed: 1}, c, func(r appstest.Rank) {
		const keys = 1 << 20
		at := target.New(r.Rank, "load", distribution.Cyclic(keys, r.Size()),
			target.Key(func(v uint64) uint64 { return v % keys }), target.Batch(func(vs []uint64) { handled += len(vs) }))
		rng := rand.New(rand.NewPCG(1, uint64(r.ID())))
		for range l.epochs {
			start := r.Now()
			r.Do(func() {
				for range l.pebbles {
					at.Send(rng.Uint64())
				}
			}, pebble.Depth(1))
			if r.ID() == 0 {
				took = append(took, r.Now()-start)
			}
		}
		if r.ID() == 0 {
			tuned, _ = r.Tuned()
		}
	})
	require.Equal(t, l.ranks*l.epochs*l.pebbles, handled)
	return took, tuned
}

func sum(times []time.Duration) (total time.Duration) {
	for _, d := range times {
		total += d
	}
	return total
}

// watcher is a tuner that changes nothing and records its windows.
type watcher struct {
	tune.Setting
	seen []tune.Window
}

func (w *watcher) Next() tune.Setting    { return w.Setting }
func (w *watcher) Observe(s tune.Window) { w.seen = append(w.seen, s) }

// TestWindowsAreWorthTheirEnds requires that windows grow, from any requested length, until their ends take a fiftieth
// of them. The time of an end is reported with the next window.
func TestWindowsAreWorthTheirEnds(t *testing.T) {
	var w *watcher
	tuning := pebble.Tuning{Coalesce: true, Window: 1, New: func(s tune.Site) (pebble.Tuner, error) {
		if w == nil {
			w = &watcher{Setting: s.Start}
		}
		return w, nil
	}}
	load{ranks: 8, epochs: 1000, pebbles: 20}.run(t, pebble.Config{Tuning: &tuning})
	const first = 5 // while windows grow
	require.Greater(t, len(w.seen), 2*first)
	spent, lost := 0.0, 0.0
	for _, s := range w.seen[first:] {
		require.Positive(t, s.Overhead)
		spent, lost = spent+s.Seconds, lost+s.Overhead
	}
	t.Logf("%d windows; ends took %.4f of them", len(w.seen), lost/spent)
	require.Less(t, lost, 1.2*spent/50)
}

// TestTuningComesNearTheBestOfASweep requires that a self-tuning job reaches 0.95 of the best setting of a full sweep,
// with the first better topology within 25 decisions, and that until then it is never more than 5 % behind a job that
// keeps the initial setting.
func TestTuningComesNearTheBestOfASweep(t *testing.T) {
	l := load{ranks: 16, epochs: 1500, pebbles: 120}
	const tail = 40
	least, best := time.Duration(math.MaxInt64), pebble.Config{}
	for _, topology := range []string{"direct", "hypercube", "mesh:2", "mesh:3"} {
		for _, factor := range []int{16, 64, 256, 1024} {
			made, err := route.ByName(topology)
			require.NoError(t, err)
			short := l
			short.epochs = 10
			c := pebble.Config{Topology: made, Coalesce: factor}
			took, _ := short.run(t, c)
			if d := sum(took[5:]); d < least {
				least, best = d, c
			}
		}
	}
	tuning := pebble.Tuning{Topology: true, Coalesce: true, Window: 200 * time.Microsecond} // several epochs
	took, tuned := l.run(t, pebble.Config{Tuning: &tuning})
	stays, _ := l.run(t, pebble.Config{})
	fastest, _ := l.run(t, best)
	ratio := float64(sum(fastest[l.epochs-tail:])) / float64(sum(took[l.epochs-tail:]))
	// begin covers the first order, and short windows until the length of an epoch is known.
	const begin = 250 * time.Microsecond
	behind := 0.0
	for i := range took {
		behind = max(behind, float64(sum(took[:i+1])-begin)/float64(sum(stays[:i+1])))
	}
	t.Logf("the best of the sweep is %s, %d; %.3f of it after %s; at most %.3f of the time without a change",
		best.Topology(l.ranks).Name(), best.Coalesce, ratio, tuned.Reason, behind)
	for _, d := range tuned.Decisions {
		t.Log(d.Window, d.Phase, d.Reason)
	}
	require.GreaterOrEqual(t, ratio, 0.95)
	require.LessOrEqual(t, len(tuned.Decisions), 25)
	require.NotEqual(t, "direct", tuned.Setting.Topology)
	require.LessOrEqual(t, behind, 1.05)
}
