package watch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A job that stands still is told of when it has for as long as it may, and once; when it has moved and stands again,
// again.
func TestStandsStillAgain(t *testing.T) {
	const looks = 3
	w := &Watcher{config: Config{Stall: looks * tick}}
	for round := range uint64(3) {
		moved := count{Moved: round + 1, Waiting: 1}
		require.False(t, w.standsStill(moved), "it has moved")
		for look := 1; look <= 2*looks; look++ {
			require.Equal(t, look == looks, w.standsStill(moved), "round %d, look %d", round, look)
		}
	}
	require.False(t, w.standsStill(count{Moved: 9, Waiting: 1}))
	for range 2 * looks {
		require.False(t, w.standsStill(count{Moved: 9}), "nobody waits")
	}
}
