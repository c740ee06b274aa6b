package memory

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/task"
)

// Lock is held by one task, or one rank's main function, of the job at a time. Who asks first has it first. What its
// holders do to shared data is seen by the next ones. Nobody polls: to take a lock that is free, and to give it back,
// costs an access each to the rank where it is, and to pass it on a pebble to its holder's rank and one back.
//
// It is a word, at its rank, that says whose turn came last (Mellor-Crummey and Scott, 1991). Who comes swaps a turn of
// his own in. When there is one before it, he asks the rank of that for the lock; the answer is the lock. So whoever
// waits has asked, and the end of an epoch counts that.
type Lock struct {
	a    *Array[uint64]
	held turn      // of this rank; 0 for none
	by   task.Task // that has it; none for the main function
	at   uintptr   // where that took it
}

// turn is one stay at a lock, from Lock to Unlock: 1 more than its rank, and its place in the rank's turns. 0 is none.
type turn uint64

const placeBits = 32

func (t turn) rank() int     { return int(t>>placeBits) - 1 }
func (t turn) place() uint32 { return uint32(t) }

// next is who comes after a turn, as far as its rank knows.
type next struct {
	state
	rank, slot uint32 // where the question came from
}

type state uint8

const (
	vacant state = iota // there is no turn
	taken               // nobody has asked
	asked               // the next one has
	left                // nobody has asked, and the turn has ended: somebody will
)

// turns are those of a rank, at all its locks.
type turns struct {
	locks      []*Lock
	nexts      []next
	spareTurns []uint32 // places of those that are vacant
	waiting    int      // turns that have not come
}

// NewLock allocates a lock at a rank, by the rules of NewArray.
func NewLock(s *Space, name string, rank int) (*Lock, error) {
	a, err := NewArray[uint64](s, name, at{1, s.rank.Size(), rank})
	if err != nil {
		return nil, err
	}
	l := &Lock{a: a}
	s.locks = append(s.locks, l)
	return l, nil
}

// Lock waits until nobody else holds the lock. Who holds it must not ask for it again, and a rank's main function that
// does must not wait for a task of the same rank that asks for it. When all ranks are at rest but for those who wait
// for locks, the job ends with a [LockError]. It is called in epochs that declare no depth.
//
//go:noinline
func (l *Lock) Lock() {
	const call = "Lock"
	s, by, at := l.a.s, l.a.s.caller(call), cpu.Caller()
	switch {
	case l.held != 0 && l.by == by:
		l.a.misuse(call, "the same caller has it already, and took it at %s: give it back first", l.where())
	case s.engine.DeclaresDepth():
		l.a.misuse(call, "the epoch declares a depth, and could not tell who waits for ever: leave pebble.Depth out")
	}
	t := s.begin()
	if before := turn(Swap(l.a, 0, uint64(t))); before != 0 {
		l.await(call, before)
	}
	l.held, l.by, l.at = t, by, at
}

// TryLock takes the lock if nobody holds it.
//
//go:noinline
func (l *Lock) TryLock() bool {
	s, by, at := l.a.s, l.a.s.caller("TryLock"), cpu.Caller()
	t := s.begin()
	if !CompareAndSwap(l.a, 0, 0, uint64(t)) {
		s.end(t)
		return false
	}
	l.held, l.by, l.at = t, by, at
	return true
}

// Unlock gives the lock to the next one who waits for it, after a fence. Another task of the rank may call it than the
// one that called Lock.
func (l *Lock) Unlock() {
	const call = "Unlock"
	if l.held == 0 {
		l.a.misuse(call, "this rank does not hold it")
	}
	s, t := l.a.s, l.held
	l.held = 0
	s.Fence()
	free := s.nexts[t.place()].state == taken && CompareAndSwap(l.a, 0, uint64(t), 0)
	n := &s.nexts[t.place()]
	switch {
	case free:
	case n.state == asked:
		s.answers.Send(answer{To: n.rank, Slot: n.slot})
		s.answers.Flush() // this rank may compute for long now
	default:
		n.state = left
		return
	}
	s.end(t)
}

// Free ends the lock, as Array.Free does.
func (l *Lock) Free() error {
	if l.held != 0 {
		l.a.s.end(l.held)
		l.held = 0
	}
	l.a.s.locks = slices.DeleteFunc(l.a.s.locks, func(other *Lock) bool { return other == l })
	return l.a.Free()
}

// await waits for the end of the turn before.
func (l *Lock) await(call string, before turn) {
	s, w := l.a.s, l.a.wait()
	s.ask(access{spot: spot{owner: before.rank()}, request: queueing, c: &w.c}, uint64(before.place()), 0)
	s.waiting++
	if s.engine.InTask(call) {
		s.suspend(call, w)
	} else {
		s.engine.AwaitOthers(call, w.done)
	}
	s.waiting--
	s.give(w)
}

// where is the file and line where this rank took the lock.
func (l *Lock) where() string {
	f, _ := runtime.CallersFrames([]uintptr{l.at}).Next()
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// caller is the task that calls, or none for the main function, which may wait.
func (s *Space) caller(call string) (t task.Task) {
	s.mayWait(call)
	if s.engine.InTask(call) {
		t = s.engine.Tasks().(waiters).Self()
	}
	return t
}

// begin begins a turn.
func (s *Space) begin() turn {
	place := uint32(len(s.nexts))
	if n := len(s.spareTurns); n > 0 {
		place, s.spareTurns = s.spareTurns[n-1], s.spareTurns[:n-1]
	} else {
		s.nexts = append(s.nexts, next{})
	}
	s.nexts[place].state = taken
	return turn(s.rank.ID()+1)<<placeBits | turn(place)
}

// end ends a turn that nobody will ask for any more.
func (s *Space) end(t turn) {
	s.nexts[t.place()].state = vacant
	s.spareTurns = append(s.spareTurns, t.place())
}

// queue takes in who comes after a turn of this rank, and reports whether that has ended.
func (s *Space) queue(q *question) (ended bool) {
	if place := q.Data[0]; place < uint64(len(s.nexts)) {
		switch n := &s.nexts[place]; n.state {
		case taken:
			*n = next{asked, q.From, q.Slot}
			return false
		case left:
			s.end(turn(place))
			return true
		}
	}
	s.engine.Fail(fmt.Errorf("memory: rank %d: rank %d waits for a turn at a lock that there is not: "+
		"pebbles were repeated, altered or misplaced", s.rank.ID(), q.From))
	return false
}

// stuck is the error of a lock that this rank has and another one waits for, when nothing can come any more. Where
// others have what is waited for here, it leaves it to them to say so.
func (s *Space) stuck() error {
	for _, l := range s.locks {
		if l.held == 0 {
			continue
		}
		if n := s.nexts[l.held.place()]; n.state == asked {
			byTask := l.by != task.Task{}
			return &LockError{Lock: l.a.name, Rank: s.rank.ID(), Task: byTask, Place: l.where(), Waiter: int(n.rank)}
		}
	}
	if s.waiting == 0 {
		return nil
	}
	s.engine.AwaitFailure(toldWithin)
	return fmt.Errorf("memory: %d turns at locks are waited for, and no rank has said within %v that it has such "+
		"a lock: please report this", s.waiting, toldWithin)
}

// toldWithin is how long it may take, at the most, until the rank that has a lock says so.
const toldWithin = 10 * time.Second

// LockError is the end of a job in which somebody waits for a lock, and nothing is under way that could have its holder
// give it back: Unlock was forgotten, or holders of several locks wait for each other.
type LockError struct {
	Lock   string // its name
	Rank   int    // that has it
	Task   bool   // by a task, and not by the main function
	Place  string // the file and line where it was taken
	Waiter int    // the rank that is to have it next; -1 for none
}

func (e *LockError) Error() string {
	who := "the main function"
	if e.Task {
		who = "a task"
	}
	if e.Waiter < 0 {
		return fmt.Sprintf("memory: lock %q was not given back by %s of rank %d, which took it at %s, when the epoch ended: "+
			"call Unlock after each Lock", e.Lock, who, e.Rank, e.Place)
	}
	return fmt.Sprintf("memory: lock %q is never given back by %s of rank %d, which took it at %s: "+
		"rank %d waits for it, and nothing is under way that could end that: call Unlock after each Lock, "+
		"and take several locks in the same order everywhere", e.Lock, who, e.Rank, e.Place, e.Waiter)
}
