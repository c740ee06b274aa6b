package appstest

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// Mallocs runs a job three times, and returns how many allocations it made as a whole when it made the fewest: the Go
// scheduler and ranks that meet at odd moments add some, and never take any away.
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

// SameMallocs requires that a job that does more allocates no more than one that does little, but for one allocation in
// a thousand of what it does more. Its frames should be few, so that both jobs have all that they may have.
func SameMallocs(t *testing.T, s Shape, more float64, little, much func(r *pebble.Rank) error) {
	t.Helper()
	few, many := Mallocs(t, s, little), Mallocs(t, s, much)
	require.Less(t, float64(many)-float64(few), 0.001*more, "%d then %d allocations, %s", few, many, s)
}

// Rate runs jobs for a benchmark, and reports how much they have done, in millions a second of their own seconds. run
// does a rank's part.
func Rate(b *testing.B, s Shape, run func(r *pebble.Rank) (p apps.Report, done uint64, err error)) {
	b.Helper()
	all, seconds := uint64(0), 0.0
	for b.Loop() {
		require.NoError(b, s.Run(b, func(r *pebble.Rank) error {
			p, done, err := run(r)
			if r.ID() == 0 && err == nil {
				require.Zero(b, p.Errors)
				all += done
				seconds += p.Seconds
			}
			return err
		}))
	}
	b.ReportMetric(float64(all)/seconds/1e6, "M/s")
}
