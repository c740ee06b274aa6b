package watch

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStandsStillAgain requires that a standstill is reported once, when it has lasted for the limit, and again after
// the job has moved.
func TestStandsStillAgain(t *testing.T) {
	const looks = 3
	var s standstill
	for round := range uint64(3) {
		moved := count{Moved: round + 1, Waiting: 1}
		require.False(t, s.take(moved, looks*tick), "it has moved")
		for look := 1; look <= 2*looks; look++ {
			require.Equal(t, look == looks, s.take(moved, looks*tick), "round %d, look %d", round, look)
		}
	}
	require.False(t, s.take(count{Moved: 9, Waiting: 1}, looks*tick))
	for range 2 * looks {
		require.False(t, s.take(count{Moved: 9}, looks*tick), "nobody waits")
	}
}

// A job that moves while the report of its standstill is made is not ended, and nothing is printed.
func TestJobsThatMoveAgainGoOn(t *testing.T) {
	var out bytes.Buffer
	w := &Watcher{config: Config{Out: &out, Stalled: func(string) error {
		require.Fail(t, "the job is ended")
		return nil
	}}}
	require.True(t, w.stands.take(count{Waiting: 1}, tick))
	require.False(t, w.stands.take(count{Moved: 1, Waiting: 1}, tick))
	w.stalled()
	require.Empty(t, out.String())
}
