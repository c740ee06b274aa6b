package ofi

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLockExcludes has holders of all kinds count together.
func TestLockExcludes(t *testing.T) {
	var l lock
	var all sync.WaitGroup
	count := 0
	for by := byRank; by <= byOther; by++ {
		for range 3 {
			all.Go(func() {
				for range 2000 {
					if !l.TryLock(by) {
						l.Lock(by)
					}
					if l.Holder() != by {
						t.Error("somebody else has it")
					}
					count++
					l.Unlock()
				}
			})
		}
	}
	all.Wait()
	require.Equal(t, 9*2000, count)
	require.Zero(t, l.Holder())
}

// TestLockIsGivenUp while some wait: all of them are told, and who comes later.
func TestLockIsGivenUp(t *testing.T) {
	var l lock
	require.False(t, l.GiveUp(l.Turn()), "nobody has it")
	require.True(t, l.Lock(bySentry))
	old := l.Turn()
	l.Unlock()
	require.True(t, l.Lock(byRank))
	require.False(t, l.GiveUp(old), "it was given back")
	var all sync.WaitGroup
	waiting := make(chan bool, 5)
	for range cap(waiting) {
		all.Go(func() { waiting <- l.Lock(byOther) })
	}
	require.Eventually(t, func() bool { return l.word.Load()&lockAwaited != 0 }, 10*time.Second, time.Millisecond)
	require.True(t, l.GiveUp(l.Turn()))
	require.False(t, l.GiveUp(l.Turn()), "again")
	all.Wait()
	for range cap(waiting) {
		require.False(t, <-waiting)
	}
	l.Unlock() // the holder comes back
	require.True(t, l.GivenUp())
	require.False(t, l.TryLock(byRank))
	require.False(t, l.Lock(byRank))
	require.Equal(t, byRank, l.Holder())
}

// TestLockAllocatesNothing, also where holders wait for each other.
func TestLockAllocatesNothing(t *testing.T) {
	var l lock
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		l.Lock(byRank)
		l.Unlock()
	}))
}

func BenchmarkLock(b *testing.B) {
	var l lock
	for b.Loop() {
		l.Lock(byRank)
		l.Unlock()
	}
}

func BenchmarkMutex(b *testing.B) {
	var l sync.Mutex
	for b.Loop() {
		l.Lock()
		l.Unlock() //nolint:staticcheck // that is what is measured
	}
}
