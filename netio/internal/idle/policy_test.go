package idle

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
)

// TestSpinLimitComesBack requires that a rank looks several times before it parks, however long it has slept, so that
// it can discover that looking pays again, even where ranks outnumber the cores of the host.
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

// TestPausesOfManyRanks requires that the wake-ups of ranks that pause take at most half of the cores' time, at 50 µs
// each, and that few ranks look again after a millisecond.
func TestPausesOfManyRanks(t *testing.T) {
	require.Equal(t, time.Millisecond, PauseFor(1))
	for _, ranks := range []int{10, 100, 1000} {
		onHost := ranks * runtime.NumCPU()
		require.LessOrEqual(t, time.Duration(ranks)*50*time.Microsecond, PauseFor(onHost)/2)
		require.Equal(t, PauseFor(onHost), PolicyFor(1, onHost).Pause)
	}
}

// row pauses until the streak ends, at most the given number of times, and returns the number of pauses.
func (v *Streak) row(most int, each time.Duration) (pauses int) {
	for ; pauses < most && !v.Long(); pauses++ {
		time.Sleep(each)
		v.Polls++
	}
	v.End()
	return pauses
}

// TestStreaksEndByTheirLength requires that a streak of quick pauses ends when its owner ends it. A streak whose pauses
// each take a slice of the scheduler ends after two, and the next streaks end immediately: more of them each time, but
// not for good.
func TestStreaksEndByTheirLength(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
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
