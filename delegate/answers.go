package delegate

import (
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/task"
)

// answers are those that a rank waits for from one operation.
type answers[A any] struct {
	tasks  *task.Scheduler
	engine *engine.Rank
	name   string
	slots  []*slot[A] // by number
	free   []*slot[A]
}

// slot is where the answers to one call go.
type slot[A any] struct {
	number uint32
	use    uint32 // how many calls have had it
	left   int    // answers to come
	waits  bool   // waiter does
	waiter task.Waiter
	as     []A
	one    [1]A // as of a call with one answer
}

// address is where an answer goes: to a rank, one of its slots, and a place in it.
type address uint64

const (
	slotBits  = 24
	placeBits = 20

	answersMax = 1 << placeBits // of one wait
	slotsMax   = 1 << slotBits
	nobody     = ^address(0)
)

func (a address) rank() uint64  { return uint64(a >> (slotBits + placeBits)) }
func (a address) slot() uint64  { return uint64(a>>placeBits) & (slotsMax - 1) }
func (a address) place() uint64 { return uint64(a) & (answersMax - 1) }

func (d *answers[A]) address(s *slot[A], place int) address {
	return address(d.engine.ID())<<(slotBits+placeBits) | address(s.number)<<placeBits | address(place)
}

// take finds a slot that nobody uses.
func (d *answers[A]) take() *slot[A] {
	if n := len(d.free); n > 0 {
		s := d.free[n-1]
		d.free = d.free[:n-1]
		return s
	}
	if len(d.slots) == slotsMax-1 {
		d.misuse("%d calls wait for answers, which is the most: let fewer tasks call, or wait for futures", len(d.slots))
	}
	s := &slot[A]{number: uint32(len(d.slots))}
	d.slots = append(d.slots, s)
	return s
}

// give gives a slot back, and returns its own answer.
func (d *answers[A]) give(s *slot[A]) A {
	a := s.one[0]
	s.one[0], s.as = *new(A), nil
	s.use++
	d.free = append(d.free, s)
	return a
}

// await waits until all answers to a slot have come.
func (d *answers[A]) await(s *slot[A], call string) {
	switch {
	case s.left == 0:
	case d.engine.InTask(call):
		s.waiter, s.waits = d.tasks.Waiter(engine.Key{}), true
		s.waiter.Wait(d.name, unsafe.Pointer(s))
	default:
		d.engine.Await(call, func() bool { return s.left == 0 })
	}
}

// arrive takes answers in, as a handler.
func (d *answers[A]) arrive(rs []reply[A]) {
	for i := range rs {
		to := rs[i].To
		if to.slot() >= uint64(len(d.slots)) {
			d.stray()
		}
		s := d.slots[to.slot()]
		if s.left == 0 || to.place() >= uint64(len(s.as)) {
			d.stray()
		}
		s.as[to.place()] = rs[i].A
		if s.left--; s.left == 0 && s.waits {
			s.waits = false
			s.waiter.Wake()
		}
	}
}

// stray ends the job: questions or answers were repeated, altered or misplaced on their way.
func (d *answers[A]) stray() {
	d.engine.Fail(fmt.Errorf("delegate: rank %d: %q: there are answers that nobody waits for: pebbles were repeated, altered or misplaced",
		d.engine.ID(), d.name))
}

// Future is an answer that may still be to come.
type Future[A any] struct {
	of   *answers[A] // nil when a is the answer
	slot *slot[A]
	use  uint32
	a    A
}

// Ready reports whether the answer is there, so that Wait won't wait.
func (f Future[A]) Ready() bool { return f.of == nil || f.slot.use == f.use && f.slot.left == 0 }

// Wait returns the answer. A task waits for it, and lets others run; the main function, in an epoch's body, handles what arrives. It is
// called once: the answer is gone afterwards.
func (f Future[A]) Wait() A {
	d := f.of
	if d == nil {
		return f.a
	}
	const call = "Future.Wait"
	if !d.engine.MayWait(call) {
		d.refuse(call)
	}
	if f.slot.use != f.use || f.slot.waits {
		d.misuse("%s was called twice for one answer: keep what it has returned", call)
	}
	d.await(f.slot, call)
	return d.give(f.slot)
}
