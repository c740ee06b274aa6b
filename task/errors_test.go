package task_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// A task that waits for ever ends the job with an error that says where; deferred functions run, and may not wait
// either.
func TestTasksThatWaitForEver(t *testing.T) {
	for call, wait := range map[string]func(s *task.Scheduler){
		"Gate.Wait": func(s *task.Scheduler) { s.NewGate().Wait() },
		"Suspend":   (*task.Scheduler).Suspend,
		"Group.Wait": func(s *task.Scheduler) {
			g := s.NewGroup()
			g.Go(s.Suspend)
			g.Wait()
		},
	} {
		var unwound atomic.Int64
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			s := task.New(r)
			return s.Run(func() {
				if r.ID() == 1 {
					defer unwound.Add(1)
					defer s.Yield()
					defer func() { panic("of a deferred function") }()
					wait(s)
				}
			})
		})
		var told *task.WaitError
		require.ErrorAs(t, err, &told)
		require.ErrorContains(t, err, call)
		require.ErrorContains(t, err, "rank 1")
		require.EqualValues(t, 1, unwound.Load())
	}
}

func TestTasksWithoutWorkers(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		s := task.New(r, task.Workers(2))
		var nest func(depth int)
		nest = func(depth int) {
			g := s.NewGroup()
			g.Go(func() { nest(depth + 1) })
			g.Wait()
		}
		return s.Run(func() { nest(0) })
	})
	var told *task.WaitError
	require.ErrorAs(t, err, &told)
	require.Equal(t, task.WaitError{Waiting: 2, Call: "Group.Wait", NotBegun: 1, Workers: 2}, *told)
	require.ErrorContains(t, err, "all 2 workers are taken")
}

// A panic in a task ends the job with the stack of the task; all other tasks unwind, on all ranks.
func TestPanicsOfTasks(t *testing.T) {
	var begun, unwound atomic.Int64
	err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := task.New(r)
		return s.Run(func() {
			for range 5 {
				s.Go(func() {
					begun.Add(1)
					defer unwound.Add(1)
					s.NewGate().Wait()
				})
			}
			s.Go(func() {
				if r.ID() == 1 {
					panic(errors.New("mistake"))
				}
			})
		})
	})
	var told *pebble.PanicError
	require.ErrorAs(t, err, &told)
	require.Equal(t, 1, told.Rank)
	require.Contains(t, string(told.Stack), "TestPanicsOfTasks")
	require.Equal(t, begun.Load(), unwound.Load())
	require.GreaterOrEqual(t, begun.Load(), int64(5))
}

// A task that leaves its goroutine takes the rank along.
func TestGoexitOfATask(t *testing.T) {
	unwound := false
	err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		s := task.New(r)
		return s.Run(func() {
			s.Go(func() {
				defer func() { unwound = true }()
				defer runtime.Goexit()
				s.Suspend()
			})
			s.Go(runtime.Goexit)
		})
	})
	require.ErrorContains(t, err, "its function left by runtime.Goexit")
	require.True(t, unwound)
}

// A job with many waiting tasks that is ended from outside leaves nothing behind, and soon.
func TestCancelledTasks(t *testing.T) {
	const tasks = 2000
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stop := errors.New("stop")
	ctx, end := context.WithCancelCause(ctx)
	var unwound atomic.Int64
	var waiting atomic.Int64
	err := pebble.Run(ctx, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := task.New(r, task.Workers(tasks+1))
		return s.Run(func() {
			for range tasks {
				s.Go(func() {
					defer unwound.Add(1)
					waiting.Add(1)
					s.Suspend()
				})
			}
			for waiting.Load() < 2*tasks {
				s.Yield()
			}
			end(stop)
			for {
				s.Yield()
			}
		})
	})
	require.ErrorIs(t, err, stop)
	require.EqualValues(t, 2*tasks, unwound.Load())
}

// A simulated process that dies takes no task of its own or of others along.
func TestTasksOfLostProcesses(t *testing.T) {
	var begun, unwound atomic.Int64
	w, err := sim.New(sim.Config{Ranks: 2, Processes: 2, Seed: 1, Faults: sim.Faults{Deaths: []sim.Death{{Process: 1, At: time.Millisecond}}}})
	require.NoError(t, err)
	require.Error(t, w.Each(func(p netio.Transport) error {
		return run(t, pebble.Config{Transport: p}, func(r *pebble.Rank) error {
			s := task.New(r)
			hear := target.New(r, "hear", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }), target.Each(func(uint64) {}))
			return s.Run(func() {
				for range 10 {
					s.Go(func() {
						begun.Add(1)
						defer unwound.Add(1)
						for {
							hear.Send(uint64(1 - r.ID()))
							s.Yield()
						}
					})
				}
			})
		})
	}))
	require.EqualValues(t, 20, begun.Load())
	require.EqualValues(t, 20, unwound.Load())
}

func TestMisuseIsToldInWords(t *testing.T) {
	for want, f := range map[string]func(r *pebble.Rank, s *task.Scheduler, hear *target.Target[uint64]) error{
		"Yield was called outside of a task": func(r *pebble.Rank, s *task.Scheduler, _ *target.Target[uint64]) error {
			return r.Epoch(func() error { s.Yield(); return nil })
		},
		"Suspend was called outside of a task": func(_ *pebble.Rank, s *task.Scheduler, hear *target.Target[uint64]) error {
			return s.Run(func() { hear.Send(1) })
		},
		"Go was called outside of an epoch": func(_ *pebble.Rank, s *task.Scheduler, _ *target.Target[uint64]) error {
			s.Go(func() {})
			return nil
		},
		"leave pebble.Depth out": func(r *pebble.Rank, s *task.Scheduler, _ *target.Target[uint64]) error {
			return r.Epoch(func() error { s.Go(func() {}); return nil }, pebble.Depth(1))
		},
		"task.New was called twice": func(r *pebble.Rank, _ *task.Scheduler, _ *target.Target[uint64]) error {
			task.New(r)
			return nil
		},
		"task.New was called inside an epoch": func(r *pebble.Rank, _ *task.Scheduler, _ *target.Target[uint64]) error {
			return r.Epoch(func() error { task.New(r); return nil })
		},
		"0 workers": func(r *pebble.Rank, _ *task.Scheduler, _ *target.Target[uint64]) error {
			task.New(r, task.Workers(0))
			return nil
		},
		"epochs do not nest": func(r *pebble.Rank, s *task.Scheduler, _ *target.Target[uint64]) error {
			return s.Run(func() { _ = r.Epoch(func() error { return nil }) })
		},
		"a barrier was begun inside an epoch": func(r *pebble.Rank, s *task.Scheduler, _ *target.Target[uint64]) error {
			return s.Run(func() { _ = r.Barrier() })
		},
		"Poll may be called only": func(r *pebble.Rank, s *task.Scheduler, _ *target.Target[uint64]) error { return s.Run(r.Poll) },
		"MarkLink was called in a task": func(r *pebble.Rank, s *task.Scheduler, _ *target.Target[uint64]) error {
			return s.Run(func() { r.MarkLink(0, 1, true) })
		},
		"Wake of no task": func(_ *pebble.Rank, s *task.Scheduler, _ *target.Target[uint64]) error {
			return s.Run(func() { s.Wake(task.Task{}) })
		},
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			s := task.New(r)
			hear := target.New(r, "hear", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
				target.Each(func(uint64) { s.Suspend() }))
			return f(r, s, hear)
		})
		require.ErrorContains(t, err, want)
	}
}
