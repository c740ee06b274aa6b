package appstest

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// Mallocs runs a job, and returns how many allocations it made as a whole.
func Mallocs(t *testing.T, s Shape, f func(r *pebble.Rank) error) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, s.Run(t, f))
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
