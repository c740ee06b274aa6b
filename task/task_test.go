package task_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// run runs a job, and returns its error.
var run = appstest.Job

// simulate runs a job of processes of one rank each in simulated time.
func simulate(t *testing.T, c sim.Config, job pebble.Config, f func(r *pebble.Rank) error) error {
	t.Helper()
	c.Processes = c.Ranks
	return appstest.Simulate(t, c, job, f)
}

// rooted returns a rank's function that prepares tasks, and then runs a first one and those that it starts.
func rooted(f func(s *task.Scheduler) (root func()), options ...task.Option) func(r *pebble.Rank) error {
	return func(r *pebble.Rank) error {
		s := task.New(r, options...)
		return s.Run(f(s))
	}
}

// one runs the tasks of one rank.
func one(t testing.TB, workers int, f func(s *task.Scheduler) (root func())) {
	t.Helper()
	require.NoError(t, run(t, pebble.Config{Ranks: 1}, rooted(f, task.Workers(workers))))
}

// numbers registers a target whose keys are ranks.
func numbers(r *pebble.Rank, name string, handle func(to uint64)) *target.Target[uint64] {
	return target.New(r, name, distribution.Ranks(r.Size()),
		target.Key(func(to uint64) uint64 { return to % uint64(r.Size()) }), target.Each(handle))
}

// Tasks that yield, wait at gates and for each other take turns and all end.
func TestTasksTakeTurns(t *testing.T) {
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		var ended atomic.Int64
		return func(r *pebble.Rank) error {
				s := task.New(r, task.Workers(50))
				sum := 0
				for range 3 {
					if err := s.Run(func() {
						gate, group := s.NewGate(), s.NewGroup()
						for range 20 {
							group.Go(func() {
								gate.Wait()
								before := sum
								s.Yield()
								sum++
								if sum == before {
									panic("no turn was taken")
								}
								ended.Add(1)
							})
						}
						s.Go(gate.Open)
						group.Wait()
						gate.Wait()
						group.Wait()
						ended.Add(1)
					}); err != nil {
						return err
					}
				}
				if sum != 60 || s.Counts().Tasks != 3*22 {
					return fmt.Errorf("%d rounds, %+v", sum, s.Counts())
				}
				return nil
			}, func(t *testing.T) {
				require.EqualValues(t, ranks*3*21, ended.Load())
			}
	})
}

// A handler wakes tasks by name, ahead of their Suspend and after it.
func TestWakeUpsAreNotLost(t *testing.T) {
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		var woken atomic.Int64
		return func(r *pebble.Rank) error {
				s := task.New(r)
				waiting, called := map[uint64]task.Task{}, map[uint64]bool{}
				p := uint64(r.Size())
				owner := distribution.Cyclic(p, r.Size())
				type call struct{ rank, number uint64 }
				back := target.New(r, "back", owner, target.Key(func(c call) uint64 { return c.rank }), target.Each(func(c call) {
					s.Wake(waiting[c.number])
					s.Wake(waiting[c.number])
					called[c.number] = true
				}))
				over := target.New(r, "over", owner, target.Key(func(c call) uint64 { return (c.rank + c.number) % p }),
					target.Each(func(c call) { back.Send(c) }))
				err := s.Run(func() {
					for n := range uint64(200) {
						s.Go(func() {
							waiting[n] = s.Self()
							over.Send(call{uint64(r.ID()), n})
							for n%3 == 0 && !called[n] { // it is woken ahead of its Suspend
								s.Yield()
							}
							s.Suspend()
							woken.Add(1)
						})
					}
				})
				if err != nil {
					return err
				}
				return s.Run(func() { // ended tasks are not woken
					for _, ended := range waiting {
						s.Wake(ended)
					}
				})
			}, func(t *testing.T) {
				require.EqualValues(t, ranks*200, woken.Load())
			}
	})
}

// Loops of Yield neither keep tasks from beginning, nor their rank from sending and from noticing a failure.
func TestYieldStarvesNobody(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 2, Due: -1}, rooted(func(s *task.Scheduler) func() {
		begun, heard := false, 0
		hear := numbers(s.Rank(), "hear", func(uint64) { heard++ })
		return func() {
			s.Go(func() {
				s.Go(func() { begun = true })
				for !begun {
					s.Yield()
				}
				hear.Send(uint64(1 - s.Rank().ID()))
				for heard == 0 {
					s.Yield()
				}
			})
		}
	})))
	broken := errors.New("broken")
	require.ErrorIs(t, run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := task.New(r)
		if r.ID() == 1 {
			return broken
		}
		return s.Run(func() {
			for {
				s.Yield()
			}
		})
	}), broken)
}

// A one-way flood of pebbles from tasks waits for room, under a limit that does not fit all of them.
func TestFloodsWaitForRoom(t *testing.T) {
	const each, tasks = 200_000, 3
	for _, all := range []int{0, 100, each} { // pebbles of a SendAll; 0 stands for single sends
		var got [4]int
		var peaks [4]int64
		c := pebble.Config{Ranks: 4, MemoryLimit: 1 << 20, Coalesce: 256}
		require.NoError(t, run(t, c, func(r *pebble.Rank) error {
			s := task.New(r)
			hear := numbers(r, "hear", func(v uint64) {
				if got[r.ID()]++; r.ID() == 3 && v%100 == 3 {
					runtime.Gosched()
				}
			})
			err := s.Run(func() {
				for range tasks {
					s.Go(func() {
						batch := make([]uint64, max(all, 100))
						for i := 0; i < each; i += len(batch) {
							for j := range batch {
								batch[j] = uint64(i + j)
								if all == 0 {
									hear.Send(batch[j])
								}
							}
							if all > 0 {
								hear.SendAll(batch)
							}
						}
						hear.Flush()
					})
				}
			})
			peaks[r.ID()] = r.Memory().Peak
			return err
		}))
		require.Equal(t, [4]int{each * tasks, each * tasks, each * tasks, each * tasks}, got)
		require.LessOrEqual(t, slices.Max(peaks[:]), int64(1<<20))
	}
}

// Keys move from tasks as they do from handlers.
func TestTasksMoveKeys(t *testing.T) {
	var state [3]map[uint64]uint64
	base := distribution.Cyclic(30, 3)
	require.NoError(t, run(t, pebble.Config{Ranks: 3}, rooted(func(s *task.Scheduler) func() {
		id := s.Rank().ID()
		own := map[uint64]uint64{}
		state[id] = own
		d := target.NewDirectory(s.Rank(), "words", base,
			func(k uint64) uint64 { v := own[k]; delete(own, k); return v },
			func(k, v uint64) { own[k] = v })
		return func() {
			for k := range uint64(30) {
				if base.Owner(k) == id {
					own[k] = k
					s.Go(func() { d.Move(k, (id+1)%3) })
				}
			}
		}
	})))
	for rank, own := range state {
		require.Len(t, own, 10)
		for k, v := range own {
			require.Equal(t, k, v)
			require.Equal(t, (rank+2)%3, base.Owner(k))
		}
	}
}

func TestTasksAreExplained(t *testing.T) {
	var told pebble.Explanation
	c := pebble.Config{Ranks: 2, Explain: func(e pebble.Explanation) { told = e }}
	require.ErrorIs(t, run(t, c, func(r *pebble.Rank) error {
		s := task.New(r, task.Workers(10))
		r.ExplainNext()
		return s.Run(nil)
	}), pebble.ErrExplained)
	require.Contains(t, told.String(), "at most 10 that have begun, each a coroutine of about 3072 bytes: 30720 bytes")
}

// Due buffers leave while tasks run, for any number of tasks.
func TestBuffersAreDueWhileTasksRun(t *testing.T) {
	const due, busy = time.Millisecond, 100 * time.Millisecond
	var arrived time.Duration
	world := sim.Config{Ranks: 2, Seed: 3}
	require.NoError(t, simulate(t, world, pebble.Config{Due: due}, rooted(func(s *task.Scheduler) func() {
		r := s.Rank()
		word := numbers(r, "word", func(uint64) { arrived = r.Now() })
		began := r.Now()
		var next func()
		next = func() {
			r.Compute(10 * time.Microsecond)
			if r.Now()-began < busy {
				s.Go(next)
			}
		}
		return func() {
			if r.ID() == 0 {
				word.Send(1)
				next()
			}
		}
	})))
	require.Positive(t, arrived)
	require.Less(t, arrived, busy/5)
}
