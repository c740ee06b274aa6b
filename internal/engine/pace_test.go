package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A fast sender reads the clock four times in the limit, or once in 1,024 sends; a slow one at each send.
func TestPace(t *testing.T) {
	const limit = time.Millisecond
	looks := func(gap time.Duration, sends int) int {
		p := pace{longest: limit}
		now, n := time.Duration(0), 0
		for range sends {
			now += gap
			if p.spend(1) {
				n++
				p.looked(now)
			}
		}
		return n
	}
	require.Equal(t, 50, looks(limit, 50))
	require.InDelta(t, 100_000/1024, looks(5*time.Nanosecond, 100_000), 20)
	medium := looks(10*time.Microsecond, 10_000) // 100 limits
	require.Greater(t, medium, 300)
	require.Less(t, medium, 2000)
}
