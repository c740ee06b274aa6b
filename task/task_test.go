package task_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t testing.TB, c pebble.Config, f func(r *pebble.Rank) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return pebble.Run(ctx, c, f)
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
							for n%3 == 0 && !called[n] { // which is woken ahead of its Suspend
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
				return s.Run(func() { // those that have ended are not woken
					for _, ended := range waiting {
						s.Wake(ended)
					}
				})
			}, func(t *testing.T) {
				require.EqualValues(t, ranks*200, woken.Load())
			}
	})
}

// Loops of Yield neither keep other tasks from beginning, nor the rank from sending what it holds back, nor from
// hearing of a failure.
func TestYieldStarvesNobody(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 2, Due: -1}, func(r *pebble.Rank) error {
		s := task.New(r)
		begun, heard := false, 0
		hear := target.New(r, "hear", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) { heard++ }))
		return s.Run(func() {
			s.Go(func() {
				s.Go(func() { begun = true })
				for !begun {
					s.Yield()
				}
				hear.Send(uint64(1 - r.ID()))
				for heard == 0 {
					s.Yield()
				}
			})
		})
	}))
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

// A flood of pebbles that tasks send one way waits for room, under a limit that has none for all of them.
func TestFloodsWaitForRoom(t *testing.T) {
	const each, tasks = 200_000, 3
	for _, all := range []int{0, 100, each} { // pebbles of a SendAll; 0 is single sends
		var got [4]atomic.Int64
		require.NoError(t, run(t, pebble.Config{Ranks: 4, MemoryLimit: 1 << 20, Coalesce: 256}, func(r *pebble.Rank) error {
			s := task.New(r)
			hear := target.New(r, "hear", distribution.Cyclic(4, 4), target.Key(func(v uint64) uint64 { return v % 4 }),
				target.Batch(func(vs []uint64) {
					if r.ID() == 3 {
						runtime.Gosched()
					}
					got[r.ID()].Add(int64(len(vs)))
				}))
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
			if peak := r.Memory().Peak; peak > 1<<20 {
				return fmt.Errorf("%d bytes", peak)
			}
			return err
		}))
		for i := range got {
			require.EqualValues(t, each*tasks, got[i].Load())
		}
	}
}

// Keys move from tasks as they do from handlers.
func TestTasksMoveKeys(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s := task.New(r)
		state := map[uint64]uint64{}
		base := distribution.Cyclic(30, 3)
		for k := range uint64(30) {
			if base.Owner(k) == r.ID() {
				state[k] = k
			}
		}
		d := target.NewDirectory(r, "words", base, func(k uint64) uint64 {
			v := state[k]
			delete(state, k)
			return v
		}, func(k, v uint64) { state[k] = v })
		if err := s.Run(func() {
			for k := range uint64(30) {
				if base.Owner(k) == r.ID() {
					s.Go(func() { d.Move(k, (r.ID()+1)%3) })
				}
			}
		}); err != nil {
			return err
		}
		for k, v := range state {
			if k != v || base.Owner(k) != (r.ID()+2)%3 {
				return fmt.Errorf("key %d has %d", k, v)
			}
		}
		if len(state) != 10 {
			return fmt.Errorf("%d keys", len(state))
		}
		return nil
	}))
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

// Buffers that are due leave while tasks run, however many there are to run.
func TestBuffersAreDueWhileTasksRun(t *testing.T) {
	const due, busy = time.Millisecond, 100 * time.Millisecond
	var arrived time.Duration
	require.NoError(t, simulate(t, sim.Config{Ranks: 2, Seed: 3}, pebble.Config{Due: due}, func(r *pebble.Rank) error {
		s := task.New(r)
		word := target.New(r, "word", distribution.Ranks(2), target.Key(func(to uint64) uint64 { return to }),
			target.Each(func(uint64) { arrived = r.Now() }))
		began := r.Now()
		var next func()
		next = func() {
			r.Compute(10 * time.Microsecond)
			if r.Now()-began < busy {
				s.Go(next)
			}
		}
		return s.Run(func() {
			if r.ID() == 0 {
				word.Send(1)
				next()
			}
		})
	}))
	require.Positive(t, arrived)
	require.Less(t, arrived, busy/5)
}
