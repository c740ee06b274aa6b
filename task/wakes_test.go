package task_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// alone runs tasks of one rank.
func alone(t *testing.T, workers int, root func(s *task.Scheduler)) {
	t.Helper()
	require.NoError(t, run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		s := task.New(r, task.Workers(workers))
		return s.Run(func() { root(s) })
	}))
}

// yields lets others run, and no longer than they may need.
func yields(s *task.Scheduler, until func() bool) {
	for n := 0; n < 1000 && !until(); n++ {
		s.Yield()
	}
}

func never() bool { return false }

// A wake-up for a task that has ended is for nobody: neither for the next one of its worker, nor when that waits
// already.
func TestWakeUpsOfTasksThatHaveEnded(t *testing.T) {
	alone(t, 2, func(s *task.Scheduler) {
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
	})
}

// A task that yields again and again lets new ones begin.
func TestYieldLetsTasksBegin(t *testing.T) {
	alone(t, 2, func(s *task.Scheduler) {
		begun := false
		s.Go(func() { begun = true })
		yields(s, func() bool { return begun })
		require.True(t, begun)
	})
}

// A group is waited for until its last task has ended.
func TestGroupsWaitForTheLast(t *testing.T) {
	alone(t, 10, func(s *task.Scheduler) {
		g, ended := s.NewGroup(), 0
		for range 5 {
			g.Go(func() {
				s.Yield()
				ended++
			})
		}
		g.Wait()
		require.Equal(t, 5, ended)
	})
}

// A rank that got tasks over its lifeline gets them so again: as often as it has nothing to do.
func TestLifelinesServeAgain(t *testing.T) {
	const bursts, tasks = 4, 400
	var ran [2][bursts]int
	w, err := sim.New(sim.Config{Ranks: 2, Processes: 2, Seed: 3})
	require.NoError(t, err)
	require.NoError(t, w.Each(func(p netio.Transport) error {
		return run(t, pebble.Config{Transport: p}, func(r *pebble.Rank) error {
			s := task.New(r)
			work := task.NewKind(s, "work", func(burst uint32) {
				ran[r.ID()][burst]++
				r.Compute(10 * time.Microsecond)
			})
			return s.Run(func() {
				for burst := uint32(0); r.ID() == 0 && burst < bursts; burst++ {
					for range 1000 { // until the other one keeps quiet
						r.Compute(10 * time.Microsecond)
						s.Yield()
					}
					for range tasks {
						work.Spawn(burst)
					}
				}
			})
		})
	}))
	for burst := range bursts {
		require.Positive(t, ran[1][burst], "%v", ran)
		require.Equal(t, tasks, ran[0][burst]+ran[1][burst])
	}
}
