package target

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
)

// Target receives pebbles of type V: it is one rank's part of the data, the handler and the distribution. Its methods
// are for that rank's goroutine; all but Name only inside epochs.
type Target[V any] struct{ core *core }

// Inside returns the engine's part of the target, for packages of this module.
func (t *Target[V]) Inside(frame.Access) *engine.Target { return t.core.engine }

// Name returns the name under which the target was registered.
func (t *Target[V]) Name() string { return t.core.out.Name }

// Send sends one pebble to the owner of its key. Up to [SendBufferMax] pebbles of single sends gather first, and then
// move together: into buffers, or, if they are for this rank and the main function sends, to the handler. Any flush
// takes the gathered pebbles along. A send from the main function may run handlers of this rank, and may wait until
// frames in flight have been consumed; a send from a handler does neither. A pebble to a key outside the distribution
// ends the job with a pebble.KeyError, and one to an owner that is not a rank with an [OwnerError], at the latest when
// the epoch ends.
//
// SendAll does the same for many pebbles at half the cost.
func (t *Target[V]) Send(v V) {
	c := t.core
	inBody, due := c.engine.BeginBodySend()
	if !inBody {
		sendInner(c, v)
		return
	}
	if due { // the lanes of a slow sender may be due
		c.engine.SendDue()
	}
	if !put(&c.body.buffer, v) {
		fill(c, &c.body, v)
	}
}

// TrySend is Send for a caller with other work to do instead of waiting. It returns false, and has not sent the pebble,
// if a link of the target has no credit, or if frames in flight or queued here take half of the buffer budget. It never
// waits. From the main function, it handles arrived pebbles before it gives up, so that repeated calls succeed in the
// end; pebbles for this rank are queued, and a later call handles them. In a handler or a task, it only checks.
func (t *Target[V]) TrySend(v V) bool {
	c := t.core
	if c.engine.EnterSend() || !c.engine.FindRoom() {
		return false
	}
	gather(c, v)
	return true
}

// SendAll sends pebbles as Send does, in batches that don't gather first: if the main function sends, those for this
// rank have been handled when SendAll returns. vs is neither kept nor changed. In steady state, SendAll allocates
// nothing.
func (t *Target[V]) SendAll(vs []V) { t.core.sendAll(of(vs)) }

// Flush sends the pebbles for the target that this rank holds back in buffers and in the reduction cache. It does not
// wait until they have been handled: the end of the epoch does (Active Pebbles, section 3.3).
func (t *Target[V]) Flush() { t.core.engine.Flush() }
