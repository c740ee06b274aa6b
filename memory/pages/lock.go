package pages

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/internal/inside"
	"github.com/activepebbles/pebbles/netio"
)

// Lock is held by one task, or one rank's main function, of the job at a time. Lock is an acquire, and Unlock a
// release: who has the lock sees what was written before the release of whoever had it last. Who asks first has it
// first, and the tasks of a rank take turns with other ranks.
//
// It is a word at its home that says whose turn came last (Mellor-Crummey and Scott, 1991), and beside it a record of
// the last release. Who comes swaps a turn of his own in, and gets the record, at once. When there is a turn
// before it he posts to the rank of that, which passes the lock on, with its record, when it gives it back. So a lock
// that nobody has costs a round trip to its home, one that is passed on a message, and the home need not attend. A
// waiter is woken by the message: a word that is put to exposed memory wakes nobody.
type Lock struct {
	s      *Space
	id     int
	name   string
	a      *memory.Array[uint64]
	home   netio.Address
	record []uint64 // room for that of the last release
	word   uint64

	turn    bool   // this rank waits, or has it
	held    bool   // this rank has it
	seq     uint64 // of the release before
	next    int    // 1 more than the rank whose turn is next; 0 while that is not known
	by      inside.Caller
	at      uintptr // where it was taken
	giving  bool    // Unlock waits for who comes next
	waiting inside.Operation
	queue   []inside.Operation // of this rank, for its next turns
}

// The word at home is the last turn, as 1 more than its rank, or free and the number of the last release.
const free = 1 << 63

// The record behind it has the number of a release, a sum of all of it, 1 more than the rank that has released, the
// last notices of that one's log, and the vector time. Most intervals have few notices, so who acquires need not get
// them.
const (
	recordSeq = iota
	recordSum
	recordFrom
	recordRecent
	recordTime = recordRecent + recentMax

	recentMax = 8
)

// NewLock allocates a lock at a rank. All ranks call it in the same order, between epochs, with equal arguments.
func NewLock(s *Space, name string, rank int) *Lock {
	if rank < 0 || rank >= s.rank.Size() {
		s.fail("pages.NewLock", fmt.Errorf("lock %q is at rank %d, ranks are 0 to %d", name, rank, s.rank.Size()-1))
	}
	words := 1 + recordTime + s.rank.Size()
	a := memory.NewArray[uint64](s.shared, name, atRank{uint64(words), s.rank.Size(), rank})
	sites := inside.SitesOf(a)
	l := &Lock{s: s, id: len(s.locks), name: name, a: a, home: sites[rank].At, record: make([]uint64, words-1)}
	s.locks = append(s.locks, l)
	return l
}

// Lock waits until nobody else has the lock, and is an acquire: spans of this rank end. Who has a lock may take those
// that were allocated later, and no others: so no two can wait for each other. It is called in a task, in the body of
// an epoch that declares no depth, and between epochs. A lock must be given back before the next barrier, before an
// epoch begins or ends, and before the rank's function returns.
//
//go:noinline
func (l *Lock) Lock() {
	const call = "Lock"
	s, by, at := l.s, l.may(call), cpu.Caller()
	l.ordered(call, by)
	for l.turn {
		o := s.inside.Begin(l.name)
		begin(o)
		l.queue = append(l.queue, o)
		s.inside.AwaitOthers(call, o)
	}
	l.turn = true
	if before := l.swap(call); before&free == 0 {
		l.await(call, int(before-1))
	}
	l.taken(call, by, at)
}

// TryLock takes the lock if nobody has it, and reports whether it has: then it is an acquire.
//
//go:noinline
func (l *Lock) TryLock() bool {
	const call = "TryLock"
	s, by, at := l.s, l.may(call), cpu.Caller()
	l.ordered(call, by)
	if l.turn {
		return false
	}
	l.turn = true
	o := s.inside.Begin(l.name)
	s.memory.Get(l.home, asBytes(one(&l.word)), o.Completion)
	s.inside.Await(call, o)
	expect := l.word
	if expect == 0 || expect&free != 0 {
		s.memory.CompareAndSwap(l.home, expect, l.mine(), &l.word, o.Completion)
	}
	s.inside.End(call, o)
	if expect != 0 && expect&free == 0 || l.word != expect {
		l.leave()
		return false
	}
	l.last(call, expect&^free)
	l.taken(call, by, at)
	return true
}

// taken is an acquire, by what the record says.
func (l *Lock) taken(call string, by inside.Caller, at uintptr) {
	s, r := l.s, l.record
	s.begin(call)
	if l.seq > 0 {
		if from := int(r[recordFrom] - 1); from != s.log.me {
			time := r[recordTime+from]
			s.told(call, from, time, asBytes(r[recordTime-min(recentMax, time):recordTime]))
		}
		s.acquire(call, r[recordTime:])
	}
	s.next(call)
	s.end()
	l.held, l.by, l.at = true, by, at
	s.counts.Locks++
}

// Unlock gives the lock to the next one who waits for it. It is a release: spans of this rank end, and what was
// written to them is where others find it. Another task of the rank may call it than the one that called Lock.
func (l *Lock) Unlock() {
	const call = "Unlock"
	s := l.s
	l.may(call)
	if !l.held {
		l.misuse(call, "this rank does not have it")
	}
	l.held = false
	s.begin(call)
	var last *Lock
	if l.next == 0 {
		last = l
	}
	s.release(call, last)
	s.next(call)
	s.end()
	if last != nil && l.next == 0 && l.giveBack(call) {
		l.leave()
		return
	}
	if l.next == 0 { // who comes next has swapped a turn in, and is about to say so
		o := s.inside.Begin(l.name)
		begin(o)
		l.waiting, l.giving = o, true
		s.inside.End(call, o)
		l.giving = false
	}
	l.write()
	to := l.next - 1
	l.leave()
	s.post(to, l.id, granting, l.record)
}

// Free ends the lock on all ranks. They call it in the same order, between epochs.
func (l *Lock) Free() error {
	if l.held {
		l.misuse("Free", "this rank has it, and took it at %s", l.where())
	}
	return l.a.Free()
}

// leave ends the turn of this rank, and has the next of its callers begin one.
func (l *Lock) leave() {
	l.turn, l.next = false, 0
	if len(l.queue) > 0 {
		o := l.queue[0]
		l.queue = l.queue[:copy(l.queue, l.queue[1:])]
		end(o)
	}
}

// swap swaps a turn of this rank in. It returns the word before, and has got the record where the lock was free.
func (l *Lock) swap(call string) (before uint64) {
	s := l.s
	o := s.inside.Begin(l.name)
	s.memory.Swap(l.home, l.mine(), &l.word, o.Completion)
	s.memory.Get(l.home.Plus(wordBytes), asBytes(l.record), o.Completion)
	s.inside.End(call, o)
	before = l.word
	if before == 0 {
		before = free
	}
	if before&free != 0 {
		l.last(call, before&^free)
	}
	return before
}

// last has the record be that of the release of a number, which is the last one. What has been got of it may be older
// than the word, and come in parts: its sum tells.
func (l *Lock) last(call string, seq uint64) {
	s := l.s
	l.seq = seq
	for seq > 0 && (l.record[recordSeq] != seq || l.record[recordSum] != sum(l.record)) {
		o := s.inside.Begin(l.name)
		s.memory.Get(l.home.Plus(wordBytes), asBytes(l.record), o.Completion)
		s.inside.End(call, o)
		s.engine.Check()
	}
}

// await asks the rank of the turn before for the lock, and waits for it and the record that comes with it.
func (l *Lock) await(call string, rank int) {
	s := l.s
	s.counts.LockWaits++
	o := s.inside.Begin(l.name)
	begin(o)
	l.waiting = o
	s.post(rank, l.id, queueing, nil)
	s.inside.AwaitOthers(call, o)
}

// giveBack sets the lock free, unless somebody waits.
func (l *Lock) giveBack(call string) bool {
	s := l.s
	o := s.inside.Begin(l.name)
	s.memory.CompareAndSwap(l.home, l.mine(), free|(l.seq+1), &l.word, o.Completion)
	s.inside.End(call, o)
	return l.word == l.mine()
}

// putRecord begins to put the record of this release to the lock's home. It is to be visible before the lock is free.
func (l *Lock) putRecord(c *netio.Completion) {
	l.write()
	l.s.memory.Put(l.home.Plus(wordBytes), asBytes(l.record), c)
}

// write writes the record of this release.
func (l *Lock) write() {
	r, log := l.record, &l.s.log
	r[recordSeq], r[recordFrom] = l.seq+1, uint64(log.me+1)
	for n := range min(recentMax, log.time[log.me]) {
		r[recordTime-1-n] = log.own[(log.time[log.me]-1-n)%logWords]
	}
	copy(r[recordTime:], log.time)
	r[recordSum] = sum(r)
}

// sum is that of a record without itself.
func sum(record []uint64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i, w := range record {
		if i != recordSum {
			h = (h ^ w) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
	}
	return h
}

func (l *Lock) mine() uint64 { return uint64(l.s.rank.ID() + 1) }

// What locks post.
const (
	queueing = iota // "my turn is behind yours"
	granting        // the lock, with the record of the release
)

// post posts a message to a lock of another rank.
func (s *Space) post(to, id int, what uint64, record []uint64) {
	s.posted = append(append(s.posted[:0], uint64(id)<<1|what), record...)
	s.engine.Post(to, asBytes(s.posted))
}

// take takes in what another rank has posted.
func (s *Space) take(from int, value []byte) {
	words := words[uint64](value)
	if len(words) == 0 || words[0]>>1 >= uint64(len(s.locks)) {
		s.engine.Fail(errors.New("pages: a message to a lock that there is not: it was repeated, altered or misplaced"))
	}
	l := s.locks[words[0]>>1]
	switch {
	case words[0]&1 == queueing && l.turn && l.next == 0:
		l.next = from + 1
		if l.giving {
			end(l.waiting)
		}
	case words[0]&1 == granting && l.turn && !l.held && len(words) == 1+len(l.record) &&
		words[1+recordFrom] == uint64(from+1):
		copy(l.record, words[1:])
		l.seq = l.record[recordSeq]
		end(l.waiting)
	default:
		s.engine.Fail(fmt.Errorf("pages: rank %d: a message to lock %q that nobody waits for: it was repeated, altered "+
			"or misplaced", s.rank.ID(), l.name))
	}
}

// may ends the job where a lock may not be used.
func (l *Lock) may(call string) inside.Caller {
	by := l.s.inside.Caller(call)
	if l.s.engine.InEpoch() && l.s.engine.DeclaresDepth() {
		l.misuse(call, "the epoch declares a depth, and could not tell who waits for ever: leave pebble.Depth out")
	}
	return by
}

// ordered ends the job when the caller has a lock that was allocated later, or this one.
func (l *Lock) ordered(call string, by inside.Caller) {
	for _, other := range l.s.locks[l.id:] {
		if !other.held || other.by != by {
			continue
		}
		if other == l {
			l.misuse(call, "the same caller has it already, and took it at %s: give it back first", l.where())
		}
		l.misuse(call, "the same caller has lock %q, and took it at %s, which was allocated later: take locks in "+
			"the order of their allocation, so that no two callers wait for each other", other.name, other.where())
	}
}

// mayLeave is the error of a lock that is held where none may be.
func (s *Space) mayLeave(call string) error {
	for _, l := range s.locks {
		if l.held {
			return fmt.Errorf("pages: rank %d has lock %q, and took it at %s: give it back before %s",
				s.rank.ID(), l.name, l.where(), call)
		}
	}
	return nil
}

// stuck is the error of a lock that a task or an epoch's body has not given back at the end of the epoch.
func (s *Space) stuck() error {
	for _, l := range s.locks {
		if l.held {
			return &memory.LockError{
				Lock: l.name, Rank: s.rank.ID(), Task: l.by.IsTask, Place: l.where(), Waiter: l.next - 1,
			}
		}
	}
	for _, l := range s.locks {
		if l.turn { // the rank that has it says so
			s.engine.AwaitFailure(toldWithin)
			return fmt.Errorf("pages: lock %q is waited for, and no rank has said within %v that it has it: "+
				"please report this", l.name, toldWithin)
		}
	}
	return nil
}

// toldWithin is how long it may take, at the most, until the rank that has a lock says so.
const toldWithin = 10 * time.Second

// where is the file and line where this rank took the lock.
func (l *Lock) where() string {
	f, _ := runtime.CallersFrames([]uintptr{l.at}).Next()
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

func (l *Lock) misuse(call, format string, args ...any) {
	l.s.inside.Misuse("%s of lock %q: %s", call, l.name, fmt.Sprintf(format, args...))
}

// one is a word as a slice.
func one(word *uint64) []uint64 { return unsafe.Slice(word, 1) }

// begin has an operation wait for end.
func begin(o inside.Operation) { o.Completion.Inside(frame.Access{}).Begin(1) }
func end(o inside.Operation)   { o.Completion.Inside(frame.Access{}).End(1, nil) }

// atRank is the distribution of elements that are all at one rank.
type atRank struct {
	n           uint64
	ranks, rank int
}

func (d atRank) Ranks() int              { return d.ranks }
func (d atRank) Len() uint64             { return d.n }
func (d atRank) Owner(uint64) int        { return d.rank }
func (d atRank) Local(key uint64) int    { return int(key) }
func (d atRank) Key(_, local int) uint64 { return uint64(local) }
func (d atRank) LocalLen(rank int) int {
	if rank == d.rank {
		return int(d.n)
	}
	return 0
}
