package inside

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
)

// Locks holds all locks of a rank, by a number that all ranks share.
type Locks struct {
	engine *engine.Rank
	all    []*Lock // nil for freed locks
	posted []uint64
}

// NewLocks makes the table of a rank's locks, and registers it for messages between them.
func NewLocks(r *engine.Rank) *Locks {
	s := &Locks{engine: r}
	r.Exposed.Posts(s.take)
	return s
}

// Add adds a lock with its word at home and a record of the given number of words after it. free frees both. All ranks
// call it in the same order.
func (s *Locks) Add(space Space, name string, home Site, words int, strict bool, free func() error) *Lock {
	l := &Lock{
		Name: name, Record: make([]uint64, words),
		space: space, locks: s, home: home.At, strict: strict, free: free,
	}
	if home.Near != nil {
		l.near = (*uint64)(unsafe.Pointer(unsafe.SliceData(home.Near)))
	}
	s.all, l.id = Place(s.all, l)
	return l
}

// Place puts an object at the first free place of a table, and returns the table and the place. Freed objects leave
// nil. All ranks make and free objects in the same order, so the places are equal on all ranks.
func Place[T any](table []*T, object *T) ([]*T, int) {
	at := slices.Index(table, nil)
	if at < 0 {
		return append(table, object), len(table)
	}
	table[at] = object
	return table, at
}

// Messages of locks.
const (
	queueing = iota // the sender's turn follows the receiver's
	granting        // the lock, with the record of its release
)

// post sends a message to a lock of another rank.
func (s *Locks) post(to, id int, message uint64, record []uint64) {
	s.posted = append(append(s.posted[:0], uint64(id)<<1|message), record...)
	s.engine.Exposed.Post(to, asBytes(s.posted))
}

// take is the handler of messages.
func (s *Locks) take(from int, value []byte) {
	if len(value) < wordBytes || len(value)%wordBytes != 0 {
		s.stray("a message of %d bytes", len(value))
	}
	head, record := binary.NativeEndian.Uint64(value), value[wordBytes:]
	if id := head >> 1; id >= uint64(len(s.all)) || s.all[id] == nil {
		s.stray("a message to lock %d, which does not exist", id)
	}
	l := s.all[head>>1]
	switch granted := head&1 == granting; {
	case !granted && l.turn && l.next == 0:
		l.next = from + 1
		if l.giving {
			end(l.waiting)
		}
	case granted && l.turn && !l.held && len(record) == len(l.Record)*wordBytes:
		copy(asBytes(l.Record), record)
		if len(l.Record) > 0 {
			l.seq = l.Record[recordSeq]
		}
		end(l.waiting)
	default:
		s.stray("a message from rank %d to lock %q, which expects none", from, l.Name)
	}
}

func (s *Locks) stray(format string, args ...any) {
	s.engine.Fail(fmt.Errorf("memory: rank %d: %w: %s", s.engine.ID(), errStray, fmt.Sprintf(format, args...)))
}

var errStray = errors.New("messages were repeated, altered or misplaced")

// Waiting returns the number of locks that this rank waits for.
func (s *Locks) Waiting() (n int) {
	for _, l := range s.all {
		if l != nil && l.turn && !l.held {
			n++
		}
	}
	return n
}

// Stuck finds a lock that this rank holds while nothing can arrive any more: one that a caller waits for, or a strict
// one. waiter is the next rank, or -1. If another rank holds the locks that this one waits for, Stuck leaves the error
// to that rank.
func (s *Locks) Stuck() (held *Lock, waiter int, err error) {
	for _, l := range s.all {
		if l == nil || !l.held {
			continue
		}
		waiter := l.next - 1
		if waiter < 0 && len(l.queue) > 0 {
			waiter = s.engine.ID()
		}
		if l.strict || waiter >= 0 {
			return l, waiter, nil
		}
	}
	n := s.Waiting()
	if n == 0 {
		return nil, 0, nil
	}
	s.engine.Loop.AwaitFailure(tellWithin)
	return nil, 0, fmt.Errorf("memory: deadlock: this rank waits for %d locks and no rank reported holding them "+
		"within %v (a bug; please report)", n, tellWithin)
}

// tellWithin bounds the time until the rank that holds a lock reports it.
const tellWithin = 10 * time.Second

// IsHeldByTask reports whether a task took the lock, and not the main function.
func (l *Lock) IsHeldByTask() bool { return l.by.IsTask }
