package memory

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/future"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/memory/internal/inside"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
)

// Space is one rank's access to all shared data of a job, for its main function, its handlers and its tasks.
type Space struct {
	rank      *pebble.Rank
	engine    *engine.Rank
	memory    netio.OneSided
	directory *directory  // of the process
	known     map[int]any // arrays that are not freed, by the index in the common partition
	common    int         // last index there
	own       int         // last index in this rank's partition
	tag       uint64      // of the job
	kinds     map[reflect.Type]uint64
	questioner
	locks  *inside.Locks
	paged  bool             // has shared pages
	free   []*wait          // unused waits
	words  []exposed.Word   // buffer for words that move together
	loose  netio.Completion // of operations without a waiter
	counts Counts
	calls  uint // calls on ranges and batches
}

// attendEvery is the number of calls per poll.
const attendEvery = 64

// attend starts a call on a range or a batch. If all of it is near, nothing else would notice that the job has failed;
// and other ranks may be waiting for addresses of this one.
func (s *Space) attend() {
	s.engine.Check()
	if s.calls++; s.calls%attendEvery == 0 && s.engine.InBody() {
		s.engine.Loop.Poll()
	}
}

// Counts counts one rank's accesses since New. A range of adjacent elements counts once.
type Counts struct {
	Near    uint64 `json:"near"`   // by loads and stores
	Remote  uint64 `json:"remote"` // by messages
	Hits    uint64 `json:"hits"`   // to another process, with the address in the cache
	Misses  uint64 `json:"misses"` // to another process, without: its owner was asked
	Stale   uint64 `json:"stale"`  // hits on an object that was freed at the same time
	Pebbles uint64 `json:"-"`      // questions sent to owners, and answers received
}

// Add returns the sum of two ranks' counts.
func (c Counts) Add(o Counts) Counts {
	return Counts{
		c.Near + o.Near, c.Remote + o.Remote, c.Hits + o.Hits, c.Misses + o.Misses, c.Stale + o.Stale,
		c.Pebbles + o.Pebbles,
	}
}

// Since returns the counts since an earlier reading.
func (c Counts) Since(then Counts) Counts {
	return Counts{
		c.Near - then.Near, c.Remote - then.Remote, c.Hits - then.Hits, c.Misses - then.Misses, c.Stale - then.Stale,
		c.Pebbles - then.Pebbles,
	}
}

// HitRate returns the fraction of accesses to other processes whose address was cached, or 1 if there were none.
func (c Counts) HitRate() float64 {
	if c.Hits+c.Misses == 0 {
		return 1
	}
	return float64(c.Hits) / float64(c.Hits+c.Misses)
}

// New makes a rank's space, or returns the existing one. All ranks call it, in the same order with registrations of
// targets and with collectives, between epochs. The first call registers two targets, and is a collective. No memory is
// exposed before the first allocation.
func New(r *pebble.Rank) *Space {
	e, config := r.Inside(frame.Access{}), r.Config()
	d := pebble.InCommon(r, func() *directory { return newDirectory(r.Place(), config.AddressCache) })
	own := &d.spaces[r.ID()-d.place.First]
	if *own != nil {
		return *own
	}
	s := &Space{rank: r, engine: e, directory: d, known: map[int]any{}, kinds: map[reflect.Type]uint64{}}
	s.memory = e.Exposed.OneSided(s.failed)
	s.locks = inside.NewLocks(e)
	s.openQuestions()
	e.Hooks.OnBoundary(func(string) error { tellLeft(s); return nil })
	tag, err := pebble.Broadcast(r, 0, rand.Uint64N(tagMax)+1)
	if err != nil {
		e.Check() // the job has failed: this ends the rank
	}
	s.tag = tag
	*own = s
	return s
}

// failed returns the error, at the end of an epoch, of an operation without a waiter, or of a wait for a lock that
// can't end.
func (s *Space) failed() error {
	leaks.Left("questions about memory", s.fences.Open())
	if err := s.loose.Err(); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return s.stuck()
}

// tellLeft reports waits for locks to tests, before each epoch and after the rank's function has returned.
func tellLeft(s *Space) {
	leaks.Left("turns at locks", s.locks.Waiting())
}

// Rank returns the rank that the space belongs to.
func (s *Space) Rank() *pebble.Rank { return s.rank }

// Counts returns the counts so far.
func (s *Space) Counts() Counts { return s.counts }

// Fence waits until all accesses that this rank has begun are done and visible to all ranks. The end of an epoch does
// the same.
func (s *Space) Fence() {
	const call = "Fence"
	s.mayWait(call)
	if s.memory.Open() == 0 && s.fences.Open() == 0 {
		return
	}
	w := s.wait()
	s.fenceAsked(&w.c)
	s.await(call, w) // what was asked for may begin operations
	s.memory.Fence(&w.c)
	s.await(call, w)
	s.end(w)
}

// wait is a set of operations with a waiter.
type wait struct {
	future.Future
	s    *Space
	c    netio.Completion
	word uint64   // result of an operation on a word
	room []uint64 // for an element in flight
	name string   // array name for error messages; empty if the caller handles errors itself
	free bool     // no waiter yet: the wait is released when it is done
}

// wait returns an unused wait.
func (s *Space) wait() *wait {
	if n := len(s.free); n > 0 {
		w := s.free[n-1]
		s.free = s.free[:n-1]
		return w
	}
	w := &wait{s: s}
	w.c.Then(w.ended)
	return w
}

// end ends a wait whose operations are done. It ends the job if one has failed.
func (s *Space) end(w *wait) {
	err, name := w.c.Err(), w.name
	s.release(w)
	if err != nil {
		s.engine.Check() // if the job has failed, that is the cause
		s.engine.Fail(fmt.Errorf("memory: %q: %w", name, err))
	}
}

// release frees a wait for other calls.
func (s *Space) release(w *wait) {
	w.c.Reset()
	w.Renew()
	w.name, w.free = "", false
	s.free = append(s.free, w)
}

// ended is called after the last operation.
func (w *wait) ended() {
	if err := w.c.Err(); err != nil && w.name != "" {
		w.s.loose.Inside(frame.Access{}).Fail(fmt.Errorf("%q: %w", w.name, err)) // it may have no waiter
	}
	if w.free {
		w.s.release(w)
		return
	}
	w.Wake()
}

// await waits until all operations are done.
func (s *Space) await(call string, w *wait) {
	switch {
	case w.c.Done():
	case s.engine.InTask(call):
		w.Suspend(s.engine, call, "memory")
	default:
		s.engine.Loop.Await(call, w.c.Done)
	}
}

// mayWait ends the job if the call must not wait here.
func (s *Space) mayWait(call string) {
	if s.engine.InTask(call) || s.engine.InBody() {
		return
	}
	if s.engine.InHandler() {
		s.misuse("%s was called in a handler, which must not wait, on memory that is not near: "+
			"have %sStart, or call it in a task", call, call)
	}
	s.misuse("%s was called outside of an epoch, on memory that is not near: "+
		"call it in a task, or in an epoch's body", call)
}

// mayStart ends the job if no operation may start here.
func (s *Space) mayStart(call string) {
	if s.engine.InTask(call) || s.engine.InEpoch() {
		return
	}
	s.misuse("%s was called outside of an epoch: its end is what says that it was done", call)
}

// fail ends the job by a call's error, and does not return.
func (s *Space) fail(call string, cause error) {
	s.engine.Fail(fmt.Errorf("rank %d: %s: %w", s.rank.ID(), call, cause))
}

func (s *Space) misuse(format string, args ...any) {
	s.engine.Misuse("memory", format, args...)
}

// Pending stands for operations that have begun. If one without a waiter fails, the end of the epoch ends the job.
type Pending struct {
	w      *wait // nil when they are done
	ticket future.Ticket
}

// Ready reports whether Wait would return at once.
func (p Pending) Ready() bool { return p.w == nil || !p.ticket.Good(&p.w.Future) || p.w.c.Done() }

// Wait waits until the operations are done. It is called in a task or in an epoch's body, by one caller at a time.
func (p Pending) Wait() {
	const call = "Pending.Wait"
	if p.w == nil {
		return
	}
	s := p.w.s
	s.mayWait(call)
	switch {
	case !p.ticket.Good(&p.w.Future): // it is done, and its future is in use elsewhere
		if s.loose.Err() != nil {
			s.engine.Check()
			s.engine.Fail(s.failed())
		}
		return
	case !p.w.free:
		s.misuse("%s was called twice: one waits at a time", call)
	}
	p.w.free = false
	s.await(call, p.w)
	s.end(p.w)
}

// awaitAll waits for operations, if w is not nil.
func (s *Space) awaitAll(call string, w *wait) {
	if w != nil {
		s.await(call, w)
		s.end(w)
	}
}

// begun returns the Pending of a wait, which is released when all is done. A nil wait stands for no operations.
func (s *Space) begun(w *wait) Pending {
	switch {
	case w == nil:
		return Pending{}
	case w.c.Done():
		s.end(w)
		return Pending{}
	}
	w.free = true
	return Pending{w, w.Ticket()}
}
