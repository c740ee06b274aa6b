//go:build !race && !pebbles_check

package task_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/task"
)

// Spawning, running, yielding and waiting allocate nothing in steady state.
func TestTasksAllocateNothing(t *testing.T) {
	one(t, 10, func(s *task.Scheduler) func() {
		return func() {
			ran := 0
			f := func() { ran++; s.Yield() }
			g := s.NewGroup()
			require.Zero(t, testing.AllocsPerRun(1000, func() {
				g.Go(f)
				s.Go(f)
				g.Wait()
			}))
		}
	})
}

func TestSpawningAllocatesNothing(t *testing.T) {
	one(t, 10, func(s *task.Scheduler) func() {
		k := task.NewKind(s, "k", func(uint64) {})
		all := task.NewKindBatch(s, "all", 4, func([]uint64) {})
		return func() {
			require.Zero(t, testing.AllocsPerRun(1000, func() {
				for i := range uint64(9) {
					k.Spawn(i)
					k.SpawnOn(0, i)
					all.Spawn(i)
				}
				s.Yield()
			}))
		}
	})
}
