package target

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
)

// Target is where pebbles of type V go: data, a handler and a distribution, as one rank knows them. Its methods are for
// that rank's goroutine; all but Name only inside epochs.
type Target[V any] struct{ core *core }

// Inside is the engine's part of the target, for packages of this module.
func (t *Target[V]) Inside(frame.Access) *engine.Target { return t.core.engine }

// Name is what the target was registered as.
func (t *Target[V]) Name() string { return t.core.out.Name }

// Send sends one pebble to the owner of its key. Up to [SendBufferMax] pebbles of single sends gather first, and then
// go on together: into buffers, or, when they are for this rank and the main function sends, to the handler. A flush,
// explicit or of any other kind, takes along what has gathered. A send from the main function may run handlers of this
// rank, and may wait until frames that are in flight have been consumed; a send from a handler does neither. A pebble
// to a key outside the distribution ends the job with a pebble.KeyError, and one to an owner that is no rank with an
// [OwnerError], at the latest when the epoch ends.
//
// SendAll does the same for many pebbles at half the cost.
func (t *Target[V]) Send(v V) {
	c := t.core
	inBody, due := c.engine.BeginBodySend()
	if !inBody {
		sendInner(c, v)
		return
	}
	if due { // the lanes of a slow sender may be
		c.engine.SendDue()
	}
	if !put(&c.body.buffer, v) {
		fill(c, &c.body, v)
	}
}

// TrySend is Send for a caller that has something else to do in place of waiting: it reports false, and has not sent
// the pebble, when a link of the target has no credit, or what is in flight or queued here takes half of the buffer
// budget. It never waits. From the main function it handles what has arrived before it gives up, so a caller that tries
// again comes through in the end; pebbles for this rank are queued, and are handled by a later call. In a handler and
// in a task it only looks.
func (t *Target[V]) TrySend(v V) bool {
	c := t.core
	if c.engine.EnterSend() || !c.engine.FindRoom() {
		return false
	}
	gather(c, v)
	return true
}

// SendAll sends pebbles as Send does, in batches that don't gather first: when the main function sends, those for this
// rank have been handled when SendAll returns. vs is not kept and not changed. In steady state it allocates nothing.
func (t *Target[V]) SendAll(vs []V) { t.core.sendAll(of(vs)) }

// Flush sends on what this rank holds back for the target in buffers and in the reduction cache. It does not wait until
// the pebbles have been handled: the end of the epoch does (Active Pebbles, section 3.3).
func (t *Target[V]) Flush() { t.core.engine.Flush() }
