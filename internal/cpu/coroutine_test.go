package cpu_test

import (
	"iter"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Prefetching changes nothing: before a coroutine has run, while it waits, deep in calls, when its stack has moved and
// when it has ended.
func TestCoroutinesGoOnAsTheyWere(t *testing.T) {
	const rounds = 20
	var (
		c    cpu.Coroutine
		deep func(depth int, wait func()) int
		done int
	)
	c.Prefetch()
	deep = func(depth int, wait func()) int {
		var room [64]int
		if depth == 0 {
			wait()
			return room[0]
		}
		room[depth%64] = depth
		return deep(depth-1, wait) + room[depth%64]
	}
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		c.Settle(yield)
		for i := range rounds {
			sum := deep(10*i, func() {
				c.Suspends()
				c.Awaits(unsafe.Pointer(&done))
				yield(struct{}{})
			})
			if sum == 10*i*(10*i+1)/2 {
				done++
			}
		}
	})
	c.Resume(next)
	for range rounds + 1 {
		c.Prefetch()
		next()
		c.Prefetch()
	}
	stop()
	c.Prefetch()
	require.Equal(t, rounds, done)
}
