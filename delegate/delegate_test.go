package delegate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/covering"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// run runs a job, and returns its error.
var run = appstest.Job

// simulate runs a job of processes of one rank each in simulated time, and returns its duration.
func simulate(t *testing.T, c sim.Config, job pebble.Config, f func(r *pebble.Rank) error) (seconds float64) {
	t.Helper()
	c.Processes = c.Ranks
	w, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, w.Each(func(p netio.Transport) error {
		job := job
		job.Transport = p
		return run(t, job, f)
	}))
	return w.Stats().Seconds
}

// asking is a delegate of numbers.
type asking = delegate.Delegate[uint64, uint64]

// everywhere is appstest.Everywhere for programs that check their own results.
func everywhere(t *testing.T, program func(t *testing.T, r *pebble.Rank) error) {
	appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		return func(r *pebble.Rank) error { return program(t, r) }, nil
	})
}

const words = 1000

func itself(i uint64) uint64 { return i }

// next is the next position of a chase; after is the serial twin of a chase.
func next(i uint64) uint64 { return (i*7 + 3) % words }

func after(i uint64, steps int) uint64 {
	for range steps {
		i = next(i)
	}
	return i
}

// links is a table of words that each give the next position.
func links(r *pebble.Rank, s *task.Scheduler) *asking {
	owner := distribution.Cyclic(words, r.Size())
	table := make([]uint64, owner.LocalLen(r.ID()))
	for i := range table {
		table[i] = next(owner.Key(r.ID(), i))
	}
	answer := func(i uint64) uint64 { return table[owner.Local(i)] }
	if r.ID()%2 == 0 { // ranks may register different functions
		return delegate.New(s, "links", owner, itself, answer)
	}
	return delegate.NewBatch(s, "links", owner, itself, func(is, to []uint64) {
		for n, i := range is {
			to[n] = answer(i)
		}
	})
}

// Chases by calls of all kinds agree with a serial one.
func TestChases(t *testing.T) {
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		s := task.New(r, task.Workers(20))
		link := links(r, s)
		const tasks, steps = 60, 12
		done := 0
		check := func(at, start uint64) {
			if want := after(start, steps); at != want {
				panic(fmt.Sprintf("from %d to %d, not %d", start, at, want))
			}
			done++
		}
		err := s.Run(func() {
			for start := range uint64(tasks) {
				s.Go(func() {
					at := start
					for range steps {
						at = link.Call(at)
					}
					check(at, start)
				})
				s.Go(func() {
					at := make([]uint64, 30)
					for i := range at {
						at[i] = start + uint64(i)
					}
					for range steps {
						link.CallAll(at, at)
					}
					for i := range at {
						check(at[i], start+uint64(i))
					}
				})
				s.Go(func() {
					var at [5]uint64
					for i := range at {
						at[i] = start * uint64(i)
					}
					for range steps {
						var futures [5]delegate.Future[uint64]
						for i := range futures {
							futures[i] = link.Start(at[i])
						}
						for i := range futures {
							j := len(at) - 1 - i
							at[j] = futures[j].Wait()
						}
					}
					for i := range at {
						check(at[i], start*uint64(i))
					}
				})
			}
		})
		if err == nil && done != tasks*36 {
			return fmt.Errorf("%d chases ended", done)
		}
		return err
	})
}

// The main function calls in an epoch's body too, on all ranks at once.
func TestMainCalls(t *testing.T) {
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		link := links(r, task.New(r))
		return r.Epoch(func() error {
			at := uint64(r.ID())
			for range 30 {
				at = link.Call(at)
			}
			future := link.Start(at)
			all := []uint64{1, 2, 3, 4, 5}
			link.CallAll(all, all)
			if at = future.Wait(); at != after(uint64(r.ID()), 31) {
				return fmt.Errorf("at %d", at)
			}
			for i := range all {
				if all[i] != next(uint64(i+1)) {
					return fmt.Errorf("all %d", all)
				}
			}
			return nil
		})
	})
}

// Operations on one word, from tasks, handlers and the main function, are atomic: tickets are drawn once each, and a
// counter that is compared and swapped loses nothing.
func TestOperationsAreAtomic(t *testing.T) {
	const tasks, each, keys = 9, 6, 3
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		var tickets, counters [keys]uint64 // each at its key's owner
		drawn := make([][keys][]uint64, ranks)
		return func(r *pebble.Rank) error {
				s := task.New(r, task.Workers(tasks))
				owner := distribution.Cyclic(keys, r.Size())
				draw := delegate.New(s, "draw", owner, itself, func(i uint64) uint64 {
					tickets[i]++
					return tickets[i] - 1
				})
				type swap struct{ Key, Old, New uint64 }
				key := func(w swap) uint64 { return w.Key }
				cas := delegate.New(s, "compare and swap", owner, key, func(w swap) uint64 {
					was := counters[w.Key]
					if was == w.Old {
						counters[w.Key] = w.New
					}
					return was
				})
				mine := &drawn[r.ID()]
				return s.Run(func() {
					for n := range tasks {
						s.Go(func() {
							key := uint64(n % keys)
							for range each {
								mine[key] = append(mine[key], draw.Call(key))
								for old := uint64(0); ; {
									was := cas.Call(swap{key, old, old + 1})
									if was == old {
										break
									}
									old = was
								}
							}
						})
						draw.Do(0) // one way, by a task
					}
				})
			}, func(t *testing.T) {
				for key := range keys {
					var all []uint64
					for _, own := range drawn {
						all = append(all, own[key]...)
					}
					require.Len(t, all, ranks*each*tasks/keys)
					slices.Sort(all)
					require.Len(t, slices.Compact(all), len(all), "some tickets were drawn twice")
					require.EqualValues(t, len(all), counters[key])
					draws := len(all)
					if key == 0 {
						draws += tasks * ranks
					}
					require.EqualValues(t, draws, tickets[key])
				}
			}
	})
}

// Answers may send and call Do, but not wait: the error is the same on the own rank and on others.
func TestAnswersDoNotWait(t *testing.T) {
	for call, f := range map[string]func(d *asking){
		"Call":    func(d *asking) { d.Call(0) },
		"CallAll": func(d *asking) { d.CallAll([]uint64{0}, []uint64{0}) },
		"Start":   func(d *asking) { d.Start(0) },
	} {
		for row := range covering.Product([]int{2, 2}) {
			key, main := uint64(row[0]), row[1] == 1
			err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
				s := task.New(r)
				var d *asking
				d = delegate.New(s, "d", distribution.Ranks(2), itself, func(uint64) uint64 { f(d); return 0 })
				ask := func() {
					if r.ID() == 0 {
						d.Call(key)
					}
				}
				if main {
					return r.Epoch(func() error { ask(); return nil })
				}
				return s.Run(ask)
			})
			require.ErrorContains(t, err, fmt.Sprintf(
				`delegate: rank %d: "d": %s was called in a handler or an answer, which must not wait`, key, call))
		}
	}
}

func TestAnswersSend(t *testing.T) {
	var done [2]atomic.Int64
	require.NoError(t, run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := task.New(r)
		owner := distribution.Ranks(2)
		hear := target.New(r, "hear", owner, target.Key(itself), target.Each(func(uint64) { done[0].Add(1) }))
		note := delegate.New(s, "note", owner, itself, func(uint64) uint64 { done[1].Add(1); return 0 })
		d := delegate.New(s, "d", owner, itself, func(k uint64) uint64 {
			hear.Send(k)
			note.Do(1 - k)
			note.Do(k)
			return k
		})
		return s.Run(func() {
			for i := range uint64(100) {
				if d.Call(i%2) != i%2 {
					panic("another answer")
				}
			}
		})
	}))
	require.EqualValues(t, 200, done[0].Load())
	require.EqualValues(t, 400, done[1].Load())
}

func TestMisuseIsToldInWords(t *testing.T) {
	for want, f := range map[string]func(s *task.Scheduler, d *asking) error{
		"Call was called outside of an epoch":   func(_ *task.Scheduler, d *asking) error { d.Call(1); return nil },
		"a pebble was sent outside of an epoch": func(_ *task.Scheduler, d *asking) error { d.Do(1); return nil },
		"2 questions and room for 1 answers": func(s *task.Scheduler, d *asking) error {
			return s.Run(func() { d.CallAll([]uint64{1, 2}, []uint64{1}) })
		},
		"Future.Wait was called twice": func(s *task.Scheduler, d *asking) error {
			return s.Run(func() {
				for key := range uint64(2) {
					future := d.Start(key)
					future.Wait()
					if key != uint64(s.Rank().ID()) {
						future.Wait()
					}
				}
			})
		},
		"key 5": func(s *task.Scheduler, d *asking) error { return s.Run(func() { d.Call(5) }) },
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			s := task.New(r)
			return f(s, delegate.New(s, "d", distribution.Cyclic(2, 2), itself, func(uint64) uint64 { return 0 }))
		})
		require.ErrorContains(t, err, want)
	}
}

// A job that fails unwinds all waits for answers, in tasks and in the main function.
func TestFailureUnwindsCalls(t *testing.T) {
	broken := errors.New("broken")
	var begun, unwound atomic.Int64
	require.ErrorIs(t, run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s := task.New(r)
		link := links(r, s)
		if r.ID() == 2 {
			return r.Epoch(func() error {
				for range 1000 {
					link.Call(0)
				}
				return broken
			})
		}
		if r.ID() == 1 {
			return r.Epoch(func() error {
				for {
					link.Call(0)
				}
			})
		}
		return s.Run(func() {
			for range 100 {
				s.Go(func() {
					begun.Add(1)
					defer unwound.Add(1)
					defer link.Call(1) // unwinds at once
					for at := uint64(1); ; {
						at = link.Call(at)
					}
				})
			}
		})
	}), broken)
	require.Equal(t, begun.Load(), unwound.Load())
}

// A job of a hundred thousand tasks ends soon after it is cancelled, at any point of their calls: all that have begun
// unwind.
func TestManyTasksUnwind(t *testing.T) {
	const tasks = manyTasks
	for _, calls := range []int64{0, 1000, 4 * tasks, 20 * tasks} {
		ctx, cancel := context.WithCancel(t.Context())
		var made, begun, unwound atomic.Int64
		var at atomic.Pointer[time.Time]
		err := pebble.Run(ctx, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			s := task.New(r, task.Workers(tasks))
			link := links(r, s)
			return s.Run(func() {
				for start := range uint64(tasks) {
					s.Go(func() {
						begun.Add(1)
						defer unwound.Add(1)
						for at1 := start % words; ; at1 = link.Call(at1) {
							if made.Add(1) == calls+1 {
								now := time.Now()
								at.Store(&now)
								cancel()
							}
						}
					})
				}
			})
		})
		t.Logf("%d tasks had begun when call %d was cancelled; the job ended after %v",
			begun.Load(), calls, time.Since(*at.Load()))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, begun.Load(), unwound.Load())
	}
}

// Keys that move are asked at their current owner.
func TestKeysThatMove(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s := task.New(r)
		state := map[uint64]uint64{}
		base := distribution.Cyclic(30, 3)
		for k := range uint64(30) {
			if base.Owner(k) == r.ID() {
				state[k] = 100 + k
			}
		}
		d := target.NewDirectory(r, "words", base, func(k uint64) uint64 {
			v := state[k]
			delete(state, k)
			return v
		}, func(k, v uint64) { state[k] = v })
		read := delegate.New(s, "read", d, itself, func(k uint64) uint64 { return state[k] })
		return s.Run(func() {
			for k := range uint64(30) {
				s.Go(func() {
					for range 20 {
						if v := read.Call(k); v != 100+k {
							panic(fmt.Sprintf("key %d has %d", k, v))
						}
						if d.Owns(k) {
							d.Move(k, int(k+uint64(r.ID()))%3)
						}
					}
				})
			}
		})
	}))
}

// Questions without waits, and many at a time, wait for room under a limit that does not fit all of them. More tasks
// than that may wait, since each asks one question.
func TestFloodsOfQuestionsWaitForRoom(t *testing.T) {
	const tasks, limit = 3, 256 << 10
	for name, c := range map[string]struct {
		each  int
		flood func(d *asking, each int)
	}{
		"Do": {12_000, func(d *asking, each int) {
			for i := range uint64(each) {
				d.Do(i % 4)
			}
		}},
		"CallAll": {12_000, func(d *asking, each int) {
			all := make([]uint64, each)
			for i := range all {
				all[i] = uint64(i) % 4
			}
			d.CallAll(all, make([]uint64, each))
		}},
		"Call": {300, func(d *asking, each int) { // a way there and back each
			for i := range uint64(each) {
				d.Call(i % 4)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var done [4]int // by rank
			config := pebble.Config{Ranks: 4, MemoryLimit: limit, Coalesce: 64}
			require.NoError(t, run(t, config, func(r *pebble.Rank) error {
				s := task.New(r)
				d := delegate.New(s, "count", distribution.Ranks(4), itself, func(uint64) uint64 { done[r.ID()]++; return 0 })
				err := s.Run(func() {
					for range tasks {
						s.Go(func() { c.flood(d, c.each) })
					}
				})
				if peak := r.Memory().Peak; peak > limit {
					return fmt.Errorf("%d bytes", peak)
				}
				return err
			}))
			n := tasks * c.each
			require.Equal(t, [4]int{n, n, n, n}, done)
		})
	}
}

// A task that asks a fast rank doesn't wait for one that floods a slow rank, with the same delegate.
func TestTasksAskOverTheirOwnLinks(t *testing.T) {
	const questions, slowRank, fastRank, together = 1000, 1, 2, 500
	for name, c := range map[string]struct {
		count int
		ask   func(d *asking, rank uint64)
	}{
		"Do":    {questions, (*asking).Do},
		"Start": {questions, func(d *asking, rank uint64) { d.Start(rank) }},
		"CallAll": {questions / together, func(d *asking, rank uint64) {
			d.CallAll(slices.Repeat([]uint64{rank}, together), make([]uint64, together))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var took [3]time.Duration
			world, tight := sim.Config{Ranks: 3, Seed: 3}, pebble.Config{Credits: 2, Coalesce: 4}
			simulate(t, world, tight, func(r *pebble.Rank) error {
				s := task.New(r)
				d := delegate.New(s, "d", distribution.Ranks(3), itself, func(rank uint64) uint64 {
					if rank == slowRank {
						r.Compute(100 * time.Microsecond)
					}
					return rank
				})
				flood := func(rank uint64) {
					s.Go(func() {
						began := r.Now()
						for range c.count {
							c.ask(d, rank)
						}
						took[rank] = r.Now() - began
					})
				}
				return s.Run(func() {
					if r.ID() == 0 {
						flood(slowRank)
						flood(fastRank)
					}
				})
			})
			require.Less(t, took[fastRank], took[slowRank]/4)
		})
	}
}
