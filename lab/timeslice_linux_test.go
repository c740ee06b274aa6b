package lab

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSlicesOfAClock requires that slices lie between two gaps. The spans before the first gap and after the last are
// incomplete, and an interrupt is no gap.
func TestSlicesOfAClock(t *testing.T) {
	now := time.Now()
	steps, interrupts := 0, 0
	clock := func() time.Time {
		now = now.Add(10 * time.Microsecond)
		switch steps++; {
		case steps%400 == 0: // another thread has the core
			now = now.Add(3 * time.Millisecond)
		case steps%150 == 0:
			now = now.Add(20 * time.Microsecond)
			interrupts++
		}
		return now
	}
	all := slicesOf(sliceWatch, clock)
	require.Positive(t, interrupts)
	require.Len(t, all, 6)
	for _, seconds := range all {
		require.InDelta(t, 4e-3, seconds, 1e-4)
	}
	require.Empty(t, slicesOf(sliceWatch, func() time.Time { now = now.Add(sliceGap); return now }))
}

func TestTimeSlice(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skipf("threads are not bound to a core here: %d cores", runtime.GOMAXPROCS(0))
	}
	seconds := TimeSlice(3)
	require.GreaterOrEqual(t, seconds, 0.0, "0 is that nobody else had the core")
	require.Less(t, seconds, sliceWatch.Seconds(), "a slice lies between two gaps that were seen")
}
