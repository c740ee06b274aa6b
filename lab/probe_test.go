package lab

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The probe ends, measures where there are two cores, and leaves no thread bound.
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
		require.Less(t, trip, time.Second)
	}
	again1, again2, stillOK := twoCores()
	require.Equal(t, ok, stillOK, "a thread is still bound to one core")
	require.Equal(t, [2]int{first, second}, [2]int{again1, again2})
}

func TestProbeOfOneCore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	require.Zero(t, Probe())
}

func TestMachine(t *testing.T) {
	m := ThisMachine()
	require.Equal(t, runtime.NumCPU(), m.Cores)
	require.Contains(t, m.String(), runtime.Version())
	if runtime.GOOS == "linux" {
		require.Greater(t, m.Memory, int64(1<<20))
		require.NotEmpty(t, m.Kernel)
	}
	require.Empty(t, procLine("/no/such/file", "x"))
	require.Equal(t, "E, 2 cores, 1.5 GiB, kernel 6, go1, linux/amd64",
		Machine{CPU: "E", Cores: 2, Memory: 3 << 29, Kernel: "6", Go: "go1", System: "linux/amd64"}.String())
}
