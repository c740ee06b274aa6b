package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/task"
)

// Taking a lock of the other rank and giving it back: when nobody else wants it, and when both ranks do, or tasks of
// both.
func BenchmarkLock(b *testing.B) {
	for _, transport := range []string{"mem", "shm", "tcp"} {
		for _, tasks := range []int{-1, 0, 1, 4} {
			who := map[int]string{-1: "free", 0: "mains", 1: "task", 4: "tasks"}[tasks]
			b.Run(fmt.Sprintf("%s/%s", transport, who), func(b *testing.B) { benchmarkLock(b, transport, tasks) })
		}
	}
}

// benchmarkLock has the main function of rank 0 take a lock, or those of both ranks, or tasks of both.
func benchmarkLock(b *testing.B, transport string, tasks int) {
	s := appstest.Shape{Ranks: 2, Procs: 2, Transport: transport, New: route.Direct, Coalesce: 1024}
	if transport == "mem" {
		s.Procs = 1
	}
	require.NoError(b, s.Run(b, func(r *pebble.Rank) error {
		scheduler := task.New(r)
		lock := memory.NewLock(memory.New(r), "lock", 1)
		take := func(n int) {
			for range n {
				lock.Lock()
				lock.Unlock() //nolint:staticcheck // that is what is measured
			}
		}
		if err := r.Epoch(func() error { take(1); return nil }); err != nil {
			return err
		}
		if r.ID() == 0 {
			b.ReportAllocs()
			b.ResetTimer()
		}
		switch {
		case tasks < 0:
			return r.Epoch(func() error {
				if r.ID() == 0 {
					take(b.N)
				}
				return nil
			})
		case tasks == 0:
			return r.Epoch(func() error { take((b.N + 1) / 2); return nil })
		}
		return scheduler.Run(func() {
			for range tasks {
				scheduler.Go(func() { take((b.N + 1) / 2 / tasks) })
			}
		})
	}))
}
