package task_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/task"
)

// yields lets others run, and no longer than they may need.
func yields(s *task.Scheduler, until func() bool) {
	for n := 0; n < 1000 && !until(); n++ {
		s.Yield()
	}
}

func never() bool { return false }

// A wake-up for a task that has ended is for nobody: nor for the next one of its worker, if that waits already.
func TestWakeUpsOfTasksThatHaveEnded(t *testing.T) {
	one(t, 2, func(s *task.Scheduler) func() {
		return func() {
			var ended, next task.Task
			told, early := false, false
			s.Go(func() {
				ended = s.Self()
				s.Wake(ended) // which it does not use
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

// A task that yields again and again lets new ones begin.
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

// A group is waited for until its last task has ended.
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
