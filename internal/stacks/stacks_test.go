package stacks

import (
	"bytes"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// awaited is far longer than any machine needs.
const awaited = time.Minute

func waitsForever(begun chan<- struct{}, end <-chan struct{}) {
	begun <- struct{}{}
	<-end
}

// Goroutines of several ranks in one function are one group, and coroutines that wait for their turn come last.
func TestEqualStacksAreToldOnce(t *testing.T) {
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	for _, rank := range []int{7, 3, 4, 5} {
		go func() {
			Label(t.Context(), rank)
			next, stop := iter.Pull(func(yield func(int) bool) {
				for yield(1) { //nolint:revive // it only waits
				}
			})
			next()
			waitsForever(begun, end)
			stop()
			done <- struct{}{}
		}()
		<-begun
	}
	// A goroutine that has begun waits soon after: the test awaits a group of the four.
	var text string
	require.Eventually(t, func() bool {
		var b bytes.Buffer
		require.NoError(t, Write(&b))
		text = b.String()
		return bytes.Contains(b.Bytes(),
			[]byte("4 goroutines of ranks 3-5, 7:\n\tgithub.com/activepebbles/pebbles/internal/stacks.waitsForever "))
	}, awaited, awaited/1000, "%s", &text)
	require.Regexp(t, `(?s)waitsForever.*4 goroutines of ranks 3-5, 7, waiting for a turn:\n\titer.Pull\[`, text)
	require.Len(t, Of(3, "stacks.waitsForever"), 1)
	require.Empty(t, Of(6, "stacks.waitsForever"))
	require.Empty(t, Of(3, "stacks.TestEqualStacksAreToldOnce.func1.1"),
		"a coroutine that waits for its turn is not stuck")
	close(end)
	for range 4 {
		<-done
	}
}
