package delegate

import (
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/future"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/internal/request"
)

// This file has functions instead of methods of generic types: the compiler makes all methods for all types of
// questions and answers, and twice, but only those functions that are called.

// operation is the part of a delegate that does not depend on the types of questions and answers.
type operation struct {
	engine *engine.Rank
	name   string
	calls  pending.Table[*waiting]
}

// reply is an answer on its way back.
type reply[A any] = request.Reply[A, request.Address]

// waiting is the untyped head of a call that waits for answers.
type waiting struct {
	future future.Future
	number uint32
	left   uint32 // answers to come
	places int    // of all answers
}

// call is a call that waits for answers. It is reused.
type call[A any] struct {
	waiting
	as  []A
	one [1]A // memory of as for a call with one answer
}

// newCall adds a call that waits for answers to as.
func newCall[A any](d *operation, as []A) *call[A] {
	n, at := slotFor(d)
	if *at == nil {
		*at = &(&call[A]{waiting: waiting{number: n}}).waiting
	}
	c := callOf[A](*at)
	c.as, c.places = as, len(as)
	return c
}

func slotFor(d *operation) (uint32, **waiting) {
	if d.calls.Full(request.CallsMax) {
		d.misuse("%d calls wait for answers, which is the most: let fewer tasks call, or wait for futures", d.calls.Len())
	}
	return d.calls.Reuse()
}

// callOf returns the call with the given head.
func callOf[A any](w *waiting) *call[A] { return (*call[A])(unsafe.Pointer(w)) }

// newCallOfOne adds a call that waits for one answer.
func newCallOfOne[A any](d *operation) *call[A] {
	c := newCall[A](d, nil)
	c.as, c.places, c.left = c.one[:], 1, 1
	return c
}

// address returns the address of the answer for a place of a call.
func (d *operation) address(c *waiting, place int) request.Address {
	return request.NewAddress(d.engine.ID(), c.number).Plus(place)
}

// await waits for all answers to a call.
func (d *operation) await(c *waiting, what string) {
	switch {
	case c.left == 0:
	case d.engine.InTask(what):
		c.future.Suspend(d.engine, what, d.name)
	default:
		d.engine.Loop.Await(what, func() bool { return c.left == 0 })
	}
}

// answerOf ends a call, and returns the only answer of a call of one.
func answerOf[A any](d *operation, c *call[A]) A {
	a := c.one[0]
	c.one[0], c.as = *new(A), nil
	c.future.Renew()
	d.calls.Free(c.number)
	return a
}

// arrive is the handler of answers.
func arrive[A any](d *operation, rs []reply[A]) {
	for i := range rs {
		c := d.called(rs[i].To)
		callOf[A](c).as[rs[i].To.Place()] = rs[i].A
		if c.left--; c.left == 0 {
			c.future.Wake()
		}
	}
}

// called returns the call of an answer.
func (d *operation) called(to request.Address) *waiting {
	at := d.calls.At(to.Call())
	if at == nil || (*at).left == 0 || to.Place() >= uint64((*at).places) {
		d.engine.Fail(fmt.Errorf("delegate: rank %d: %q: %w", d.engine.ID(), d.name, request.ErrStray))
	}
	return *at
}

// Future is an answer that may not have arrived.
type Future[A any] struct {
	of     *operation // nil if a is the answer
	call   *call[A]
	ticket future.Ticket
	a      A
}

// Ready reports whether Wait would return at once.
func (f Future[A]) Ready() bool {
	return f.of == nil || !f.ticket.Good(&f.call.future) || f.call.left == 0
}

// Wait returns the answer. A task waits for it, and other tasks run; the main function, in an epoch's body, runs
// handlers. It is called once: the answer is dropped afterwards.
func (f Future[A]) Wait() A {
	d := f.of
	if d == nil {
		return f.a
	}
	const what = "Future.Wait"
	d.mayWait(what)
	if !f.ticket.Good(&f.call.future) || f.call.future.Waited() {
		d.misuse("%s was called twice for one answer: keep what it has returned", what)
	}
	d.await(&f.call.waiting, what)
	return answerOf(d, f.call)
}
