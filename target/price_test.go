package target

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// One batch in many is timed, no small one is, and one that was interrupted doesn't count.
func TestTiming(t *testing.T) {
	var timing timing
	timed := 0
	for range 10 * sampled {
		if timing.due(minSample) {
			timed++
		}
		require.False(t, timing.due(minSample-1))
	}
	require.Equal(t, 10, timed)
	for i := range 6 {
		timing.add(time.Duration(100+i), 100)
		require.Zero(t, timing.median(), "too few yet")
	}
	timing.add(time.Hour, 100)
	require.Equal(t, 1030*time.Nanosecond, timing.median())
}

// More hops and more processes make a pebble dearer; longer buffers make it cheaper.
func TestCarry(t *testing.T) {
	carry := func(c route.Constructor, factor, processes int) time.Duration {
		return newPrices(c(64), factor, processes).carry
	}
	require.Less(t, carry(route.Direct, 1024, 1), carry(route.Hypercube, 1024, 1))
	require.Less(t, carry(route.Direct, 1024, 1), carry(route.Direct, 1, 1))
	require.Less(t, carry(route.Direct, 1024, 1), carry(route.Direct, 1024, 2))
	require.Equal(t, carry(route.Direct, 64, 1), carry(route.Dynamic(route.Direct), 64, 1))
}
