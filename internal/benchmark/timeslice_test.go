package benchmark

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimeSlice(t *testing.T) {
	seconds := TimeSlice(3)
	if runtime.GOOS != "linux" || runtime.GOMAXPROCS(0) < 2 {
		t.Skipf("threads are not bound to a core here: %d cores", runtime.GOMAXPROCS(0))
	}
	require.Greater(t, seconds, 1e-5)
	require.Less(t, seconds, 0.1)
}
