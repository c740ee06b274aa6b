package idle

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// row pauses until the row ends, or so many times, and tells how often.
func (v *Streak) row(most int, each time.Duration) (pauses int) {
	for ; pauses < most && !v.Long(); pauses++ {
		time.Sleep(each)
		v.Polls++
	}
	v.End()
	return pauses
}

// A row of quick pauses ends when its owner wants. One of pauses that each take a slice of the scheduler ends after two, and the next
// rows at once: more of them each time, but never for good.
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
