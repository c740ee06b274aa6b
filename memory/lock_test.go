package memory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/task"
)

// locking is one rank of two with two locks, one at each.
type locking struct {
	r     *pebble.Rank
	tasks *task.Scheduler
	locks [2]*memory.Lock
}

func newLocking(r *pebble.Rank) (l locking, err error) {
	l.r, l.tasks = r, task.New(r)
	for i, name := range []string{"a", "b"} {
		l.locks[i] = memory.NewLock(memory.New(r), name, i)
	}
	return l, nil
}

// inMain runs f in the body of an epoch, and inTask in a task.
func (l locking) inMain(f func()) error { return l.r.Epoch(func() error { f(); return nil }) }
func (l locking) inTask(f func()) error { return l.tasks.Run(f) }

// take is what takes a lock, and give what gives it back.
func (l locking) take(i int) func() { return func() { l.locks[i].Lock() } }
func (l locking) give(i int) func() { return func() { l.locks[i].Unlock() } }

// twoRanks runs a program on two ranks: of one process, of two over each transport, and of two that are simulated. told
// gets the job's error.
func twoRanks(t *testing.T, program func(r *pebble.Rank) error, told func(t *testing.T, err error)) {
	for _, transport := range []string{"mem", "shm", "tcp"} {
		t.Run(transport, func(t *testing.T) {
			s := appstest.Shape{Ranks: 2, Procs: 2, Transport: transport, New: route.Direct, Coalesce: 64}
			told(t, s.Run(t, program))
		})
	}
	t.Run("sim", func(t *testing.T) { told(t, simulated(t, 2, program)) })
}

// simulated runs a program on so many ranks, in as many processes, over a network that delays and repeats frames.
func simulated(t *testing.T, ranks int, program func(r *pebble.Rank) error) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w, err := sim.New(sim.Config{Ranks: ranks, Processes: ranks, Seed: 1, Faults: sim.Faults{Delay: 0.2, Double: 0.1}})
	require.NoError(t, err)
	return w.Each(func(p netio.Transport) error {
		return pebble.Run(ctx, pebble.Config{Transport: p, Coalesce: 16}, program)
	})
}

// Who waits for a lock that nobody gives back ends the job, which names who has it, and where that was taken.
func TestLocksThatAreNotGivenBack(t *testing.T) {
	const inMain, inTask = `the main function of rank \d`, `a task of rank \d`
	for name, c := range map[string]struct {
		lock, holder string
		do           func(l locking) error
	}{
		"forgotten in a body": {"a", inMain, func(l locking) error { return l.inMain(l.take(0)) }},
		"forgotten in a task": {"b", inTask, func(l locking) error { return l.inTask(l.take(1)) }},
		"forgotten in an epoch before": {"a", inTask, func(l locking) error {
			if err := l.inTask(func() {
				if l.r.ID() == 1 {
					l.locks[0].Lock()
				}
			}); err != nil {
				return err
			}
			return l.inMain(func() {
				if l.r.ID() == 0 {
					l.locks[0].Lock()
				}
			})
		}},
		"among tasks of one rank": {"b", inTask, func(l locking) error {
			return l.inTask(func() {
				for range 3 * (1 - l.r.ID()) {
					l.tasks.Go(l.take(1))
				}
			})
		}},
		"by main, which has tasks that wait": {"a", inMain, func(l locking) error {
			return l.inMain(func() {
				if l.r.ID() == 1 {
					l.locks[0].Lock()
					l.tasks.Go(l.take(0))
				}
			})
		}},
		"each one's by the other's body": {"[ab]", inMain, func(l locking) error {
			id := l.r.ID()
			return errors.Join(l.inMain(l.take(id)), l.inMain(func() {
				defer l.give(id)()
				l.take(1 - id)()
			}))
		}},
		"each one's by the other's task": {"[ab]", inTask, func(l locking) error {
			id := l.r.ID()
			return errors.Join(l.inTask(l.take(id)), l.inTask(func() {
				defer l.give(id)()
				l.take(1 - id)()
			}))
		}},
		"one's task by the other's body": {"[ab]", `(` + inTask + `|` + inMain + `)`, func(l locking) error {
			id, first := l.r.ID(), l.inMain
			if id == 0 {
				first = l.inTask
			}
			return errors.Join(first(l.take(id)), l.inMain(func() {
				if id == 1 {
					l.tasks.Go(l.take(0))
				} else {
					l.locks[1].Lock()
				}
			}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			twoRanks(t, func(r *pebble.Rank) error {
				l, err := newLocking(r)
				if err != nil {
					return err
				}
				return c.do(l)
			}, func(t *testing.T, err error) {
				var held *memory.LockError
				require.ErrorAs(t, err, &held)
				require.Regexp(t, `memory: lock "`+c.lock+`" is never given back by `+c.holder+
					`, which took it at \S*lock_test\.go:\d+: rank \d waits for it, and nothing is in flight`, err)
			})
		})
	}
}

// Who has a lock is told at once when he takes it again.
func TestLockTwice(t *testing.T) {
	for name, in := range map[string]func(l locking, f func()) error{"main": locking.inMain, "task": locking.inTask} {
		t.Run(name, func(t *testing.T) {
			twoRanks(t, func(r *pebble.Rank) error {
				l, err := newLocking(r)
				if err != nil {
					return err
				}
				return in(l, func() {
					if r.ID() == 0 {
						l.locks[1].Lock()
						l.locks[1].Lock()
					}
				})
			}, func(t *testing.T, err error) {
				require.Regexp(t, `Lock of array "b": the same caller has it already, `+
					`and took it at \S*lock_test\.go:\d+: give it back first`, err)
			})
		})
	}
}

// Go does not know the line that calls a method value, so an error says what it was.
func TestLockByAMethodValue(t *testing.T) {
	twoRanks(t, func(r *pebble.Rank) error {
		l, err := newLocking(r)
		if err != nil {
			return err
		}
		return l.inMain(func() {
			if r.ID() == 0 {
				lock := l.locks[1].Lock
				lock()
				lock()
			}
		})
	}, func(t *testing.T, err error) {
		require.ErrorContains(t, err, "and took it at a call of its method as a value: give it back first")
	})
}

// A lock that one epoch has left taken is given back in a later one, by another task of the rank, and serves others
// again.
func TestLocksOverEpochs(t *testing.T) {
	twoRanks(t, func(r *pebble.Rank) error {
		l, err := newLocking(r)
		if err != nil {
			return err
		}
		own := 1 - r.ID()
		for range 3 {
			if err := errors.Join(
				l.inTask(l.take(own)), l.inTask(l.give(own)), l.inMain(l.take(own)), l.inMain(l.give(own)),
				l.inMain(func() { l.take(0)(); l.give(0)() }), l.inTask(l.take(own)),
			); err != nil {
				return err
			}
			for _, k := range l.locks {
				if err := k.Free(); err != nil { // one of them is taken here
					return err
				}
			}
			for i := range l.locks {
				l.locks[i] = memory.NewLock(memory.New(r), "again", i)
			}
		}
		return nil
	}, func(t *testing.T, err error) { require.NoError(t, err) })
}

// block is an element that travels in several pieces.
type block [1 << 14]uint64

// What a lock's holder has begun to put is seen by the next holder, also where it goes to a third rank and takes longer
// than the lock does.
func TestNextHoldersSeeWhatWasBegun(t *testing.T) {
	const rounds = 10
	program := func(r *pebble.Rank) error {
		s := memory.New(r)
		lock := memory.NewLock(s, "lock", 0)
		blocks := memory.NewArray[block](s, "blocks", distribution.Cyclic(3, 3))
		own := make([]block, 1)
		for range 2 { // in the first round addresses are asked for
			if err := r.Epoch(func() error {
				for range rounds * min(1, 2-r.ID()) { // the owner has none
					lock.Lock()
					blocks.GetRange(2, own)
					for i, v := range own[0] {
						if v != own[0][0] {
							return fmt.Errorf("word %d is %d, and the first one %d", i, v, own[0][0])
						}
					}
					for i := range own[0] {
						own[0][i]++
					}
					blocks.PutStart(2, &own[0])
					lock.Unlock()
				}
				return nil
			}); err != nil {
				return err
			}
		}
		if got := blocks.Local()[0][0]; r.ID() == 2 && got != 2*2*rounds {
			return fmt.Errorf("%d holders have added 1, and the sum is %d", 2*2*rounds, got)
		}
		return nil
	}
	t.Run("tcp", func(t *testing.T) {
		s := appstest.Shape{Ranks: 3, Procs: 3, Transport: "tcp", New: route.Direct, Coalesce: 64}
		require.NoError(t, s.Run(t, program))
	})
	t.Run("sim", func(t *testing.T) { require.NoError(t, simulated(t, 3, program)) })
}
