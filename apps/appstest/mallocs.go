package appstest

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// Mallocs runs a job three times, and returns its smallest number of allocations: the Go scheduler and the timing of
// ranks add some at times, and never remove any.
func Mallocs(t *testing.T, s Shape, f func(r *pebble.Rank) error) uint64 {
	t.Helper()
	least := uint64(math.MaxUint64)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, s.Run(t, f))
		runtime.ReadMemStats(&after)
		least = min(least, after.Mallocs-before.Mallocs)
	}
	return least
}

// SameMallocs requires that a job with much work allocates no more than one with little, except for one allocation per
// thousand of the additional work. The budget of frames is small, so that both jobs allocate all of them.
func SameMallocs(t *testing.T, cache int, more float64, little, much func(r *pebble.Rank) error) {
	t.Helper()
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		s := Shape{Ranks: 4, Procs: 1, Transport: "mem", New: topology, Cache: cache, Budget: 32 << 10}
		few, many := Mallocs(t, s, little), Mallocs(t, s, much)
		require.Less(t, float64(many)-float64(few), 0.001*more, "%d then %d allocations, %s", few, many, s)
	}
}

// Timed does a rank's part of a job. It returns the work that all ranks have done, the seconds of it, and the number of
// errors that the verifier has found.
type Timed func(r *pebble.Rank) (done uint64, seconds float64, errors uint64, err error)

// Rate runs jobs for a benchmark, and reports their rate, in millions per second of job time.
func Rate(b *testing.B, s Shape, run Timed) {
	b.Helper()
	all, lasted := uint64(0), 0.0
	for b.Loop() {
		require.NoError(b, s.Run(b, func(r *pebble.Rank) error {
			done, seconds, errors, err := run(r)
			if r.ID() == 0 && err == nil {
				require.Zero(b, errors)
				all += done
				lasted += seconds
			}
			return err
		}))
	}
	b.ReportMetric(float64(all)/lasted/1e6, "M/s")
}

// Rates is Rate for each number of ranks of this process.
func Rates(b *testing.B, ranks []int, run Timed) {
	for _, n := range ranks {
		b.Run(fmt.Sprintf("ranks=%d", n), func(b *testing.B) { Rate(b, Mem(n), run) })
	}
}

// Once returns a program that runs an application on a rank.
func Once[C, R any](run func(r *pebble.Rank, config C) (R, error), config C) func(r *pebble.Rank) error {
	return func(r *pebble.Rank) error {
		_, err := run(r, config)
		return err
	}
}

// All returns the results of an application on the ranks of a job, which must not fail.
func All[C, R any](t testing.TB, s Shape, run func(r *pebble.Rank, config C) (R, error), config C) []R {
	t.Helper()
	results := make([]R, s.Ranks)
	require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
		results[r.ID()], err = run(r, config)
		return err
	}))
	return results
}

// AllEverywhere runs an application everywhere, and passes the result of each rank to check.
func AllEverywhere[C, R any](t *testing.T, run func(r *pebble.Rank, config C) (R, error), config C,
	check func(t *testing.T, ranks int, got R)) {
	Everywhere(t, func(t *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		results := make([]R, ranks)
		return func(r *pebble.Rank) (err error) {
				results[r.ID()], err = run(r, config)
				return err
			}, func(t *testing.T) {
				for _, got := range results {
					check(t, ranks, got)
				}
			}
	})
}

// Told runs a job on ranks of this process, and returns the progress that it reported. Reports must not exceed total.
func Told[P ~func(done, total uint64)](t *testing.T, ranks int, total uint64,
	run func(r *pebble.Rank, told P) error) (all []uint64) {
	t.Helper()
	require.NoError(t, Mem(ranks).Run(t, func(r *pebble.Rank) error {
		return run(r, func(done, of uint64) {
			require.Equal(t, total, of)
			require.LessOrEqual(t, done, total)
			all = append(all, done)
		})
	}))
	require.IsIncreasing(t, all)
	return all
}
