package memory

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/memory/internal/inside"
)

// Lock is held by one task, or one rank's main function, of the job at a time. Callers get it in the order of their
// requests; the tasks of a rank take turns with other ranks. A holder sees the writes of earlier holders to shared
// data. Waiting does not poll. Taking a free lock and releasing it cost an access each to its home. A hand-over costs a
// message each way.
type Lock struct {
	s  *Space
	of *inside.Lock
}

// NewLock allocates a lock at a rank, by the rules of NewArray.
func NewLock(s *Space, name string, rank int) *Lock {
	return &Lock{s, s.newLock(name, rank, 0, false)}
}

// newLock allocates a lock with a record of the given number of words.
func (s *Space) newLock(name string, rank, words int, strict bool) *inside.Lock {
	a := NewArray[uint64](s, name, at{uint64(1 + words), s.rank.Size(), rank})
	return s.locks.Add(inner{s}, name, sites(a)[rank], words, strict, a.Free)
}

// Lock waits until the lock is free, and takes it. The holder must not take it again, and a rank's main function that
// holds it must not wait for a task of the same rank that waits for it. When all ranks are at rest except those that
// wait for locks, the job ends with a [LockError]. Lock may be called in epochs that declare no depth.
//
//go:noinline
func (l *Lock) Lock() {
	const call = "Lock"
	s, by, at := l.s, l.caller(call), cpu.Caller()
	switch {
	case l.of.IsHeldBy(by):
		l.misuse(call, "the same caller holds it since %s: call Unlock first", l.of.Place())
	case s.engine.Detection.DeclaresDepth():
		l.misuse(call, "locks need an epoch without pebble.Depth: with a declared depth a deadlock could not be detected")
	}
	l.of.Acquire(call, by, at)
}

// TryLock takes the lock if it is free, and reports whether it did.
//
//go:noinline
func (l *Lock) TryLock() bool {
	const call = "TryLock"
	return l.of.TryAcquire(call, l.caller(call), cpu.Caller())
}

// Unlock gives the lock to the next caller that waits for it, after a fence. Any task of the rank may call it.
func (l *Lock) Unlock() {
	const call = "Unlock"
	if !l.of.IsHeld() {
		l.misuse(call, "this rank does not hold it")
	}
	l.of.Release()
	l.s.Fence()
	l.of.HandOver(call)
}

// Free frees the lock, as Array.Free does.
func (l *Lock) Free() error { return l.of.Free() }

// caller returns the calling task, or none for the main function. It ends the job if the call must not wait here, or if
// the lock was freed.
func (l *Lock) caller(call string) inside.Caller {
	if l.of.IsFreed() {
		l.misuse(call, "the lock was freed")
	}
	l.s.mayWait(call)
	return inner{l.s}.Caller(call)
}

func (l *Lock) misuse(call, format string, args ...any) {
	l.s.misuse("%s of lock %q: %s", call, l.of.Name, fmt.Sprintf(format, args...))
}

// stuck returns the error of a lock of this rank that nothing can release any more.
func (s *Space) stuck() error {
	l, waiter, err := s.locks.Stuck()
	if l == nil {
		return err
	}
	return &LockError{Lock: l.Name, Rank: s.rank.ID(), Task: l.IsHeldByTask(), Place: l.Place(), Waiter: waiter}
}

// LockError ends a job if a lock is not released and nothing is in flight that could lead to its release: Unlock was
// forgotten, or holders of several locks wait for each other.
type LockError struct {
	Lock   string // its name
	Rank   int    // holder
	Task   bool   // a task took it, and not the main function
	Place  string // file and line of the call that took it
	Waiter int    // next rank; -1 for none
}

func (e *LockError) Error() string {
	holder := "the main function"
	if e.Task {
		holder = "a task"
	}
	if e.Waiter < 0 {
		return fmt.Sprintf("memory: lock %q was not given back when the epoch ended: %s of rank %d took it at %s: "+
			"call Unlock after each Lock", e.Lock, holder, e.Rank, e.Place)
	}
	return fmt.Sprintf("memory: deadlock: lock %q is never given back: %s of rank %d took it at %s, "+
		"rank %d waits for it, and nothing is in flight: call Unlock after each Lock, and take several locks in the "+
		"same order everywhere", e.Lock, holder, e.Rank, e.Place, e.Waiter)
}
