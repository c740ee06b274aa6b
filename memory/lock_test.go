package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// locking is one rank of two with two locks, one at each.
type locking struct {
	rank
	tasks *task.Scheduler
	locks [2]*memory.Lock
}

func (l *locking) newLocks() {
	for i, name := range []string{"a", "b"} {
		l.locks[i] = memory.NewLock(l.s, name, i)
	}
}

// inTask runs f in a task, as Do does in the body of an epoch.
func (l *locking) inTask(f func()) { l.NoError(l.tasks.Run(f)) }

// take returns a function that takes a lock, and give one that releases it.
func (l *locking) take(i int) func() { return func() { l.locks[i].Lock() } }
func (l *locking) give(i int) func() { return func() { l.locks[i].Unlock() } }

// twoRanks runs a program on two ranks: of one process, of two over each transport, and of two simulated ones. told
// gets the job's error.
func twoRanks(t *testing.T, do func(l *locking), told func(t *testing.T, err error)) {
	program := program(func(r rank) {
		l := &locking{rank: r, tasks: task.New(r.Rank.Rank)}
		l.newLocks()
		do(l)
	})
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) { told(t, shape(transport, 2, 2).Run(t, program)) })
	}
	t.Run("sim", func(t *testing.T) { told(t, simulated(t, 2, program)) })
}

// simulated runs a program on the given number of ranks, in as many processes, over a network that delays and repeats
// frames.
func simulated(t *testing.T, ranks int, program func(r *pebble.Rank) error) error {
	world := sim.Config{Ranks: ranks, Processes: ranks, Seed: 1, Faults: sim.Faults{Delay: 0.2, Double: 0.1}}
	return appstest.Simulate(t, world, pebble.Config{Coalesce: 16}, program)
}

// A wait for a lock that is never released ends the job with an error that names the holder and its call.
func TestLocksThatAreNotGivenBack(t *testing.T) {
	const inMain, inTask = `the main function of rank \d`, `a task of rank \d`
	for name, c := range map[string]struct {
		lock, holder string
		do           func(l *locking)
	}{
		"forgotten in a body": {"a", inMain, func(l *locking) { l.Do(l.take(0)) }},
		"forgotten in a task": {"b", inTask, func(l *locking) { l.inTask(l.take(1)) }},
		"forgotten in an epoch before": {"a", inTask, func(l *locking) {
			l.inTask(func() {
				if l.ID() == 1 {
					l.locks[0].Lock()
				}
			})
			l.Do(func() {
				if l.ID() == 0 {
					l.locks[0].Lock()
				}
			})
		}},
		"among tasks of one rank": {"b", inTask, func(l *locking) {
			l.inTask(func() {
				for range 3 * (1 - l.ID()) {
					l.tasks.Go(l.take(1))
				}
			})
		}},
		"by main, which has tasks that wait": {"a", inMain, func(l *locking) {
			l.Do(func() {
				if l.ID() == 1 {
					l.locks[0].Lock()
					l.tasks.Go(l.take(0))
				}
			})
		}},
		"each one's by the other's body": {"[ab]", inMain, func(l *locking) {
			l.Do(l.take(l.ID()))
			l.Do(l.take(1 - l.ID()))
		}},
		"each one's by the other's task": {"[ab]", inTask, func(l *locking) {
			l.inTask(l.take(l.ID()))
			l.inTask(l.take(1 - l.ID()))
		}},
		"one's task by the other's body": {"[ab]", `(` + inTask + `|` + inMain + `)`, func(l *locking) {
			if l.ID() == 0 {
				l.inTask(l.take(0))
				l.Do(l.take(1))
			} else {
				l.Do(l.take(1))
				l.Do(func() { l.tasks.Go(l.take(0)) })
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			twoRanks(t, c.do, func(t *testing.T, err error) {
				var held *memory.LockError
				require.ErrorAs(t, err, &held)
				require.Regexp(t, `memory: deadlock: lock "`+c.lock+`" is never given back: `+c.holder+
					` took it at \S*lock_test\.go:\d+, rank \d waits for it, and nothing is in flight`, err)
			})
		})
	}
}

// Taking a held lock again ends the job at once. A call of a method value has no line in Go; the error states that.
func TestLockTwice(t *testing.T) {
	const line, value = `\S*lock_test\.go:\d+`, "a call of its method as a value"
	twice := func(l *locking) {
		if l.ID() == 0 {
			l.locks[1].Lock()
			l.locks[1].Lock()
		}
	}
	for name, c := range map[string]struct {
		at string
		do func(l *locking)
	}{
		"main": {line, func(l *locking) { l.Do(func() { twice(l) }) }},
		"task": {line, func(l *locking) { l.inTask(func() { twice(l) }) }},
		"a method value": {value, func(l *locking) {
			l.Do(func() {
				if lock := l.locks[1].Lock; l.ID() == 0 {
					lock()
					lock()
				}
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			twoRanks(t, c.do, func(t *testing.T, err error) {
				require.Regexp(t, `Lock of lock "b": the same caller holds it since `+
					c.at+`: call Unlock first`, err)
			})
		})
	}
}

// A lock that is held over the end of an epoch can be released in a later one, by another task of the rank, and then
// serves others.
func TestLocksOverEpochs(t *testing.T) {
	twoRanks(t, func(l *locking) {
		own := 1 - l.ID()
		for range 3 {
			l.inTask(l.take(own))
			l.inTask(l.give(own))
			l.Do(l.take(own))
			l.Do(l.give(own))
			l.Do(func() { l.take(0)(); l.give(0)() })
			l.inTask(l.take(own))
			for _, k := range l.locks {
				l.NoError(k.Free()) // one of them is taken here
			}
			l.newLocks()
		}
	}, func(t *testing.T, err error) { require.NoError(t, err) })
}

// block is an element that travels in several pieces.
type block [1 << 14]uint64

// The next holder of a lock sees puts that the holder before has begun, also those to a third rank that take longer
// than the lock.
func TestNextHoldersSeeWhatWasBegun(t *testing.T) {
	const rounds = 10
	program := program(func(r rank) {
		lock := memory.NewLock(r.s, "lock", 0)
		blocks := memory.NewArray[block](r.s, "blocks", distribution.Cyclic(3, 3))
		own, same := make([]block, 1), block{}
		for range 2 { // the first round asks for addresses
			r.Do(func() {
				for range rounds * min(1, 2-r.ID()) { // the owner has none
					lock.Lock()
					blocks.GetRange(2, own)
					for i := range same {
						same[i] = own[0][0]
					}
					r.True(same == own[0], "words differ from the first one, %d", same[0])
					for i := range own[0] {
						own[0][i]++
					}
					blocks.PutStart(2, &own[0])
					lock.Unlock()
				}
			})
		}
		if r.ID() == 2 {
			r.EqualValues(2*2*rounds, blocks.Local()[0][0], "holders that have added 1")
		}
	})
	t.Run("tcp", func(t *testing.T) { require.NoError(t, shape("tcp", 3, 3).Run(t, program)) })
	t.Run("sim", func(t *testing.T) { require.NoError(t, simulated(t, 3, program)) })
}
