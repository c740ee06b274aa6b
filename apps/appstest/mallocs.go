package appstest

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// Mallocs runs a job three times, and returns how many allocations it made as a whole when it made the fewest: the Go scheduler
// and ranks that meet at odd moments add some, and never take any away.
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
