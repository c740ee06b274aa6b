package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/task"
)

// Take a lock of the other rank and release it: without contention, with both ranks, and with tasks of both.
func BenchmarkLock(b *testing.B) {
	for _, transport := range transports {
		for _, tasks := range []int{-1, 0, 1, 4} {
			who := map[int]string{-1: "free", 0: "mains", 1: "task", 4: "tasks"}[tasks]
			b.Run(fmt.Sprintf("%s/%s", transport, who), func(b *testing.B) { benchmarkLock(b, transport, tasks) })
		}
	}
}

// benchmarkLock times locks by the main function of rank 0, by those of both ranks, or by tasks of both.
func benchmarkLock(b *testing.B, transport string, tasks int) {
	s := shape(transport, 2, 2)
	s.Coalesce = 1024
	require.NoError(b, s.Run(b, program(func(r rank) {
		scheduler := task.New(r.Rank.Rank)
		lock := memory.NewLock(r.s, "lock", 1)
		take := func(n int) {
			for range n {
				lock.Lock()
				lock.Unlock() //nolint:staticcheck // that is what is measured
			}
		}
		r.Do(func() { take(1) })
		if r.ID() == 0 {
			b.ReportAllocs()
			b.ResetTimer()
		}
		switch {
		case tasks < 0:
			r.Do(func() { take(b.N * (1 - r.ID())) })
		case tasks == 0:
			r.Do(func() { take((b.N + 1) / 2) })
		default:
			r.NoError(scheduler.Run(func() {
				for range tasks {
					scheduler.Go(func() { take((b.N + 1) / 2 / tasks) })
				}
			}))
		}
	})))
}
