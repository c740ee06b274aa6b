package delegate

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/future"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/internal/request"
)

// answers are those that a rank waits for from one operation.
type answers[A any] struct {
	engine *engine.Rank
	name   string
	calls  pending.Table[*call[A]]
}

// reply is an answer on its way back.
type reply[A any] = request.Reply[A, request.Address]

// call is one that waits for answers. It is used again.
type call[A any] struct {
	future.Future
	number uint32
	left   uint32 // answers to come
	as     []A
	one    [1]A // as of a call with one answer
}

// newCall adds a call that waits for answers to as.
func (d *answers[A]) newCall(as []A) *call[A] {
	if d.calls.Full(request.CallsMax) {
		d.misuse("%d calls wait for answers, which is the most: let fewer tasks call, or wait for futures", d.calls.Len())
	}
	n, at := d.calls.Reuse()
	if *at == nil {
		*at = &call[A]{number: n}
	}
	(*at).as = as
	return *at
}

// newCallOfOne adds a call that waits for one answer.
func (d *answers[A]) newCallOfOne() *call[A] {
	c := d.newCall(nil)
	c.as, c.left = c.one[:], 1
	return c
}

// address is where the answer for a place of a call goes.
func (d *answers[A]) address(c *call[A], place int) request.Address {
	return request.NewAddress(d.engine.ID(), c.number).Plus(place)
}

// await waits for all answers to a call, and returns the only one of a call of one.
func (d *answers[A]) await(c *call[A], what string) A {
	switch {
	case c.left == 0:
	case d.engine.InTask(what):
		c.Suspend(d.engine, what, d.name)
	default:
		d.engine.Await(what, func() bool { return c.left == 0 })
	}
	a := c.one[0]
	c.one[0], c.as = *new(A), nil
	c.Renew()
	d.calls.Free(c.number)
	return a
}

// arrive is the handler of answers.
func (d *answers[A]) arrive(rs []reply[A]) {
	for i := range rs {
		to := rs[i].To
		at := d.calls.At(to.Call())
		if at == nil || (*at).left == 0 || to.Place() >= uint64(len((*at).as)) {
			d.engine.Fail(fmt.Errorf("delegate: rank %d: %q: %w", d.engine.ID(), d.name, request.ErrStray))
		}
		c := *at
		c.as[to.Place()] = rs[i].A
		if c.left--; c.left == 0 {
			c.Wake()
		}
	}
}

// Future is an answer that may still be to come.
type Future[A any] struct {
	of     *answers[A] // nil when a is the answer
	call   *call[A]
	ticket future.Ticket
	a      A
}

// Ready reports whether Wait won't wait.
func (f Future[A]) Ready() bool {
	return f.of == nil || !f.ticket.Good(&f.call.Future) || f.call.left == 0
}

// Wait returns the answer. A task waits for it, and lets others run; the main function, in an epoch's body, handles
// what arrives. It is called once: the answer is gone afterwards.
func (f Future[A]) Wait() A {
	d := f.of
	if d == nil {
		return f.a
	}
	const what = "Future.Wait"
	d.mayWait(what)
	if !f.ticket.Good(&f.call.Future) || f.call.Waited() {
		d.misuse("%s was called twice for one answer: keep what it has returned", what)
	}
	return d.await(f.call, what)
}
