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
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// A wait that can't end ends the job with an error that names the call; deferred functions may not wait either.
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
		unwound := 0
		err := run(t, pebble.Config{Ranks: 2}, rooted(func(s *task.Scheduler) func() {
			return func() {
				if s.Rank().ID() == 1 {
					defer func() { unwound++ }()
					defer s.Yield()
					defer func() { panic("of a deferred function") }()
					wait(s)
				}
			}
		}))
		var told *task.WaitError
		require.ErrorAs(t, err, &told)
		require.ErrorContains(t, err, call)
		require.ErrorContains(t, err, "rank 1")
		require.Equal(t, 1, unwound)
	}
}

func TestTasksWithoutWorkers(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 1}, rooted(func(s *task.Scheduler) func() {
		var nest func()
		nest = func() {
			g := s.NewGroup()
			g.Go(nest)
			g.Wait()
		}
		return nest
	}, task.Workers(2)))
	var told *task.WaitError
	require.ErrorAs(t, err, &told)
	require.Equal(t, task.WaitError{Waiting: 2, Call: "Group.Wait", NotBegun: 1, Workers: 2}, *told)
	require.ErrorContains(t, err, "all 2 workers are taken")
}

// A panic in a task ends the job with the stack of the task; all other tasks unwind, on all ranks.
func TestPanicsOfTasks(t *testing.T) {
	var begun, unwound atomic.Int64
	err := run(t, pebble.Config{Ranks: 2}, rooted(func(s *task.Scheduler) func() {
		return func() {
			for range 5 {
				s.Go(func() {
					begun.Add(1)
					defer unwound.Add(1)
					s.NewGate().Wait()
				})
			}
			s.Go(func() {
				if s.Rank().ID() == 1 {
					panic(errors.New("mistake"))
				}
			})
		}
	}))
	var told *pebble.PanicError
	require.ErrorAs(t, err, &told)
	require.Equal(t, 1, told.Rank)
	require.Contains(t, string(told.Stack), "TestPanicsOfTasks")
	require.Equal(t, begun.Load(), unwound.Load())
	require.GreaterOrEqual(t, begun.Load(), int64(5))
}

// A task that leaves its goroutine ends the rank.
func TestGoexitOfATask(t *testing.T) {
	unwound := false
	err := run(t, pebble.Config{Ranks: 1}, rooted(func(s *task.Scheduler) func() {
		return func() {
			s.Go(func() {
				defer func() { unwound = true }()
				defer runtime.Goexit()
				s.Suspend()
			})
			s.Go(runtime.Goexit)
		}
	}))
	require.ErrorContains(t, err, "its function left by runtime.Goexit")
	require.True(t, unwound)
}

// A cancelled job with many waiting tasks leaves nothing behind, and ends soon.
func TestCancelledTasks(t *testing.T) {
	const tasks = 2000
	stop := errors.New("stop")
	ctx, end := context.WithCancelCause(t.Context())
	var waiting, unwound atomic.Int64
	err := pebble.Run(ctx, pebble.Config{Ranks: 2}, rooted(func(s *task.Scheduler) func() {
		return func() {
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
		}
	}, task.Workers(tasks+1)))
	require.ErrorIs(t, err, stop)
	require.EqualValues(t, 2*tasks, unwound.Load())
}

// The death of a simulated process loses no task.
func TestTasksOfLostProcesses(t *testing.T) {
	var begun, unwound atomic.Int64
	world := sim.Config{Ranks: 2, Seed: 1, Faults: sim.Faults{Deaths: []sim.Death{{Process: 1, At: time.Millisecond}}}}
	require.Error(t, simulate(t, world, pebble.Config{}, rooted(func(s *task.Scheduler) func() {
		hear := numbers(s.Rank(), "hear", func(uint64) {})
		return func() {
			for range 10 {
				s.Go(func() {
					begun.Add(1)
					defer unwound.Add(1)
					for {
						hear.Send(uint64(1 - s.Rank().ID()))
						s.Yield()
					}
				})
			}
		}
	})))
	require.EqualValues(t, 20, begun.Load())
	require.EqualValues(t, 20, unwound.Load())
}

// Every mistake ends the job with a message, and arguments that are neither plain data nor have a codec name the
// option.
func TestMisuseIsToldInWords(t *testing.T) {
	type scheduler = *task.Scheduler
	coded := target.Coded(pebble.Strings{})
	kind := func(s scheduler) *task.Kind[uint64] { return task.NewKind(s, "k", func(uint64) {}) }
	pieces := func(_, _ uint64) {}
	inTask := func(f func(s scheduler)) func(s scheduler) error {
		return func(s scheduler) error { return s.Run(func() { f(s) }) }
	}
	outside := func(f func(s scheduler)) func(s scheduler) error {
		return func(s scheduler) error { f(s); return nil }
	}
	inEpoch := func(f func(s scheduler), options ...pebble.EpochOption) func(s scheduler) error {
		return func(s scheduler) error { return s.Rank().Epoch(func() error { f(s); return nil }, options...) }
	}
	for want, f := range map[string]func(s scheduler) error{
		"Yield was called outside of a task": inEpoch((*task.Scheduler).Yield),
		"Suspend was called outside of a task": func(s scheduler) error {
			hear := numbers(s.Rank(), "hear", func(uint64) { s.Suspend() })
			return s.Run(func() { hear.Send(1) })
		},
		"For was called outside of a task":    outside(func(s scheduler) { s.For(0, 1, 1, pieces) }),
		"Go was called outside of an epoch":   outside(func(s scheduler) { s.Go(func() {}) }),
		"leave pebble.Depth out":              inEpoch(func(s scheduler) { s.Go(func() {}) }, pebble.Depth(1)),
		"task.New was called twice":           outside(func(s scheduler) { task.New(s.Rank()) }),
		"task.New was called inside an epoch": inEpoch(func(s scheduler) { task.New(s.Rank()) }),
		"0 workers":                           outside(func(s scheduler) { task.New(s.Rank(), task.Workers(0)) }),
		"epochs do not nest": inTask(func(s scheduler) {
			_ = s.Rank().Epoch(func() error { return nil })
		}),
		"a barrier was begun inside an epoch": inTask(func(s scheduler) { _ = s.Rank().Barrier() }),
		"Poll may be called only":             inTask(func(s scheduler) { s.Rank().Poll() }),
		"MarkLink was called in a task":       inTask(func(s scheduler) { s.Rank().MarkLink(0, 1, true) }),
		"Wake of no task":                     inTask(func(s scheduler) { s.Wake(task.Task{}) }),

		"a task for rank 2": func(s scheduler) error {
			k := kind(s)
			return s.Run(func() { k.SpawnOn(2, 0) })
		},
		"a task for rank -1": func(s scheduler) error {
			k := kind(s)
			return s.Run(func() { k.SpawnAt(distribution.Cyclic(2, 2), 5, 0) })
		},
		"1 more have not begun because all 1 workers": func(s scheduler) error {
			k := kind(s)
			return s.Run(func() { k.Spawn(1); s.Suspend() })
		},
		"Spawn was called outside of an epoch": outside(func(s scheduler) { kind(s).Spawn(1) }),

		"batches of 0 tasks": outside(func(s scheduler) {
			task.NewKindBatch(s, "k", 0, func([]uint64) {})
		}),
		"For with a grain of 0":            inTask(func(s scheduler) { s.For(0, 1, 0, pieces) }),
		`loop "l" has a grain of 0`:        outside(func(s scheduler) { task.NewLoop(s, "l", 0, pieces) }),
		"no function that runs its pieces": outside(func(s scheduler) { task.NewLoop(s, "work", 3, nil) }),
		`target "work": it has no function that runs its tasks: give one`: outside(func(s scheduler) {
			task.NewKind[uint64](s, "work", nil)
		}),
		"it has no function that runs its tasks": outside(func(s scheduler) {
			task.NewKindBatch[uint64](s, "work", 3, nil)
		}),
		`target "work": its argument: type string is not plain data: string is a string, which means nothing on ` +
			`another rank: add target.Coded(pebble.Strings{})`: outside(func(s scheduler) {
			task.NewKind(s, "work", func(string) {})
		}),
		"which is a codec of none of these values: its argument is a uint64": outside(func(s scheduler) {
			task.NewKindBatch(s, "work", 3, func([]uint64) {}, coded)
		}),
		"which is a codec of none of these values": outside(func(s scheduler) {
			task.NewLoop(s, "work", 3, pieces, coded)
		}),
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error { return f(task.New(r, task.Workers(1))) })
		require.ErrorContains(t, err, want)
	}
}
