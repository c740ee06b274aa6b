package pages

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/memory/internal/inside"
)

// Lock is held by one task, or one rank's main function, of the job at a time. Lock is an acquire, and Unlock a
// release: the holder sees the writes before the release of the previous holder. Callers get the lock in the order of
// their requests; the tasks of a rank take turns with other ranks.
//
// A free lock costs a round trip to its home, and a hand-over costs a message, which carries the record of the last
// release.
type Lock struct {
	s  *Space
	of *inside.Lock
}

// The record of a release has 1 more than the rank that released, the last notices of its log, and the vector time.
// Most intervals have few notices, so the next holder need not get them.
const (
	recordFrom   = inside.RecordHead
	recordRecent = recordFrom + 1
	recordTime   = recordRecent + recentMax

	recentMax = 8
)

// NewLock allocates a lock at a rank. All ranks call it in the same order, between epochs, with equal arguments.
func NewLock(s *Space, name string, rank int) *Lock {
	l := &Lock{s: s, of: s.inside.NewLock(name, rank, recordTime+s.rank.Size(), true)}
	s.locks = append(s.locks, l)
	return l
}

// Lock waits until the lock is free, and takes it. It is an acquire: spans of this rank end. The holder of a lock may
// take those that were allocated later, and no others: so no two callers can wait for each other. It is called in a
// task, in the body of an epoch that declares no depth, and between epochs. A lock must be released before the next
// barrier, before an epoch begins or ends, and before the rank's function returns.
//
//go:noinline
func (l *Lock) Lock() {
	const call = "Lock"
	by, at := l.may(call), cpu.Caller()
	l.ordered(call, by)
	if l.of.Acquire(call, by, at) {
		l.s.counts.LockWaits++
	}
	l.taken(call)
}

// TryLock takes the lock if it is free, and reports whether it did: then it is an acquire.
//
//go:noinline
func (l *Lock) TryLock() bool {
	const call = "TryLock"
	by, at := l.may(call), cpu.Caller()
	l.ordered(call, by)
	if !l.of.TryAcquire(call, by, at) {
		return false
	}
	l.taken(call)
	return true
}

// taken is an acquire by the record of the lock.
func (l *Lock) taken(call string) {
	s, r := l.s, l.of.Record
	s.begin(call)
	if !l.of.IsFirst() {
		if from := int(r[recordFrom] - 1); from != s.log.me {
			time := r[recordTime+from]
			s.told(call, from, time, asBytes(r[recordTime-min(recentMax, time):recordTime]))
		}
		s.acquire(call, r[recordTime:])
	}
	s.next(call)
	s.end()
	s.counts.Locks++
}

// Unlock gives the lock to the next caller that waits for it. It is a release: spans of this rank end, and other ranks
// find the writes to them. Any task of the rank may call it.
func (l *Lock) Unlock() {
	const call = "Unlock"
	s := l.s
	l.may(call)
	if !l.of.IsHeld() {
		l.misuse(call, "this rank does not hold it")
	}
	l.of.Release()
	s.begin(call)
	s.release(call, l)
	s.next(call)
	s.end()
	l.of.HandOver(call)
}

// Free frees the lock on all ranks. They call it in the same order, between epochs.
func (l *Lock) Free() error {
	if l.of.IsHeld() {
		l.misuse("Free", "this rank holds it since %s: call Unlock first", l.of.Place())
	}
	l.s.locks = slices.DeleteFunc(l.s.locks, func(other *Lock) bool { return other == l })
	return l.of.Free()
}

// write writes the record of this release.
func (l *Lock) write() {
	r, log := l.of.Record, &l.s.log
	r[recordFrom] = uint64(log.me + 1)
	for n := range min(recentMax, log.time[log.me]) {
		r[recordTime-1-n] = log.own[(log.time[log.me]-1-n)%logWords]
	}
	copy(r[recordTime:], log.time)
}

// may ends the job if a lock must not be used here, and returns the caller.
func (l *Lock) may(call string) inside.Caller {
	if l.of.IsFreed() {
		l.misuse(call, "the lock was freed")
	}
	by := l.s.inside.Caller(call)
	if l.s.engine.InEpoch() && l.s.engine.Detection.DeclaresDepth() {
		l.misuse(call, "locks need an epoch without pebble.Depth: with a declared depth a deadlock could not be detected")
	}
	return by
}

// ordered ends the job if the caller holds this lock, or one that was allocated later.
func (l *Lock) ordered(call string, by inside.Caller) {
	for _, other := range l.s.locks[slices.Index(l.s.locks, l):] {
		if !other.of.IsHeldBy(by) {
			continue
		}
		if other == l {
			l.misuse(call, "the same caller holds it since %s: call Unlock first", l.of.Place())
		}
		l.misuse(call, "the same caller holds lock %q since %s, which was allocated later: take locks in the order of "+
			"their allocation, so that no two callers wait for each other", other.of.Name, other.of.Place())
	}
}

// mayLeave returns an error if a lock is held where none may be.
func (s *Space) mayLeave(call string) error {
	for _, l := range s.locks {
		if l.of.IsHeld() {
			return fmt.Errorf("pages: rank %d holds lock %q since %s: call Unlock before %s",
				s.rank.ID(), l.of.Name, l.of.Place(), call)
		}
	}
	return nil
}

func (l *Lock) misuse(call, format string, args ...any) {
	l.s.inside.Misuse("%s of lock %q: %s", call, l.of.Name, fmt.Sprintf(format, args...))
}
