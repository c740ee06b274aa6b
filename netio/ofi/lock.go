package ofi

import (
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// lock is a mutex that can be given up: when its holder does not come back, all who wait for it, and all who come later, are told so. Nobody has what it
// guards then but that holder. It costs as much as a mutex, and its zero value is free.
type lock struct {
	word  atomic.Uint64 // the holder, two flags, and above them the turn
	mu    sync.Mutex    // of those that wait
	freed sync.Cond     // the same
}

// holder says who has a lock; 0 is nobody.
type holder uint64

const (
	byRank holder = iota + 1
	bySentry
	byOther
)

const (
	lockHolders = 3
	lockAwaited = 4  // some may wait
	lockGivenUp = 8  // for good
	lockTurn    = 16 // each holder has another turn
	lockSpins   = 40 // some 2 µs, in which most holders are done
)

// TryLock takes the lock if nobody has it.
func (l *lock) TryLock(by holder) bool {
	s := l.word.Load()
	return s&(lockHolders|lockGivenUp) == 0 && l.word.CompareAndSwap(s, s|uint64(by))
}

// Lock waits for the lock. It reports false when that was given up: then the caller leaves alone what the lock guards, and unlocks nothing.
func (l *lock) Lock(by holder) bool { return l.TryLock(by) || l.lockSlow(by) }

func (l *lock) lockSlow(by holder) bool {
	for range lockSpins {
		if l.TryLock(by) {
			return true
		}
		cpu.Relax()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.freed.L = &l.mu
	for {
		s := l.word.Load()
		switch {
		case s&lockGivenUp != 0:
			return false
		case s&lockHolders == 0:
			if l.word.CompareAndSwap(s, s|uint64(by)|lockAwaited) { // others may wait too
				return true
			}
		case s&lockAwaited != 0 || l.word.CompareAndSwap(s, s|lockAwaited):
			l.freed.Wait()
		}
	}
}

// Unlock gives the lock back. One that was given up stays so.
func (l *lock) Unlock() {
	for {
		s := l.word.Load()
		if s&lockGivenUp != 0 {
			return
		}
		if l.word.CompareAndSwap(s, s&^(lockTurn-1)+lockTurn) {
			if s&lockAwaited != 0 {
				l.mu.Lock()
				l.freed.Signal()
				l.mu.Unlock()
			}
			return
		}
	}
}

// Turn changes whenever the lock is given back.
func (l *lock) Turn() uint64 { return l.word.Load() / lockTurn }

// GiveUp gives up a lock that was not given back since a turn. It reports false when it was, and when nobody has it.
func (l *lock) GiveUp(turn uint64) bool {
	for {
		s := l.word.Load()
		if s/lockTurn != turn || s&lockHolders == 0 || s&lockGivenUp != 0 {
			return false
		}
		if l.word.CompareAndSwap(s, s|lockGivenUp) {
			l.mu.Lock()
			l.freed.Broadcast()
			l.mu.Unlock()
			return true
		}
	}
}

// GivenUp costs a load.
func (l *lock) GivenUp() bool { return l.word.Load()&lockGivenUp != 0 }

// Holder is who has the lock, or had it when it was given up.
func (l *lock) Holder() holder { return holder(l.word.Load() & lockHolders) }
