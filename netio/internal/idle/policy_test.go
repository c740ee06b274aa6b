package idle

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// However long a rank has slept, it goes on to look around some times before it parks, so that it can learn that this
// pays again: also where ranks outnumber the cores of the host.
func TestSpinLimitComesBack(t *testing.T) {
	for _, onHost := range []int{1, 100 * runtime.NumCPU()} {
		p := PolicyFor(1, onHost)
		limit := p.Max
		for range 100 {
			limit = p.Learn(limit, time.Second)
		}
		require.Equal(t, 8, limit)
		for range 100 {
			limit = p.Learn(limit, time.Microsecond)
		}
		require.Equal(t, p.Max, limit)
		require.GreaterOrEqual(t, p.Max, 512)
	}
}

// row pauses until the row ends, or so many times, and tells how often.
func (v *Streak) row(most int, each time.Duration) (pauses int) {
	for ; pauses < most && !v.Long(); pauses++ {
		time.Sleep(each)
		v.Polls++
	}
	v.End()
	return pauses
}

// A row of quick pauses ends when its owner wants. One of pauses that each take a slice of the scheduler ends after
// two, and the next rows at once: more of them each time, but never for good.
func TestStreaksEndByTheirLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slice = StreakMax * 3 / 4
		var v Streak
		skipped := func() (n int) {
			for ; v.skip > 0; n++ {
				require.Zero(t, v.row(2048, slice))
			}
			return n
		}
		require.Equal(t, 2048, v.row(2048, time.Microsecond))
		require.Zero(t, skipped())
		for _, n := range []int{8, 16, 32, 64, 64} {
			require.Equal(t, 2, v.row(2048, slice))
			require.Equal(t, n, skipped())
		}
		require.Equal(t, 2048, v.row(2048, time.Microsecond))
		require.Zero(t, skipped())
		require.Equal(t, 1, v.row(1, 2*StreakMax), "something came, but late")
		require.Equal(t, 8, skipped())
		require.Equal(t, 2048, v.row(2048, time.Microsecond))
	})
}
