package lab

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProbe requires that the probe ends, measures if there are two cores, and leaves no thread bound.
func TestProbe(t *testing.T) {
	first, second, ok := twoCores()
	for range 3 {
		trip := Probe()
		if !ok {
			require.Zero(t, trip)
			continue
		}
		require.NotEqual(t, first, second)
		require.Positive(t, trip)
	}
	again1, again2, stillOK := twoCores()
	require.Equal(t, ok, stillOK, "a thread is still bound to one core")
	require.Equal(t, [2]int{first, second}, [2]int{again1, again2})
}

func TestProbeOfOneCore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	require.Zero(t, Probe())
}

func TestContextSwitch(t *testing.T) {
	seconds, err := ContextSwitch(2)
	require.NoError(t, err)
	require.GreaterOrEqual(t, seconds, 0.0)
}
