package task_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/task"
)

// yields lets others run as long as they need, with a bound.
func yields(s *task.Scheduler, until func() bool) {
	for n := 0; n < 1000 && !until(); n++ {
		s.Yield()
	}
}

func never() bool { return false }

// A wake-up for a task that has ended has no effect, not even on the next task of its worker if that already waits.
func TestWakeUpsOfTasksThatHaveEnded(t *testing.T) {
	one(t, 2, func(s *task.Scheduler) func() {
		return func() {
			var ended, next task.Task
			told, early := false, false
			s.Go(func() {
				ended = s.Self()
				s.Wake(ended) // it has no effect
			})
			s.Go(func() {
				next = s.Self()
				s.Suspend()
				early = !told
			})
			yields(s, func() bool { return next != task.Task{} })
			s.Wake(ended)
			yields(s, never)
			told = true
			s.Wake(next)
			yields(s, never)
			require.False(t, early)
		}
	})
}

// A task that keeps yielding lets new ones begin.
func TestYieldLetsTasksBegin(t *testing.T) {
	one(t, 2, func(s *task.Scheduler) func() {
		return func() {
			begun := false
			s.Go(func() { begun = true })
			yields(s, func() bool { return begun })
			require.True(t, begun)
		}
	})
}

// A wait for a group lasts until its last task has ended.
func TestGroupsWaitForTheLast(t *testing.T) {
	one(t, 10, func(s *task.Scheduler) func() {
		return func() {
			g, ended := s.NewGroup(), 0
			for range 5 {
				g.Go(func() {
					s.Yield()
					ended++
				})
			}
			g.Wait()
			require.Equal(t, 5, ended)
		}
	})
}
