package target

import "github.com/activepebbles/pebbles/internal/engine"

// Target is where pebbles of type V go: data, a handler and a distribution, as one rank knows them. Its methods are for
// that rank's goroutine; all but Name only inside epochs.
type Target[V any] struct{ core *core[V] }

// Engine is for the other packages of this module: nobody else can name the type of its argument.
func (t *Target[V]) Engine(engine.Key) *engine.Target { return t.core.engine }

// AwaitRoom is for the other packages of this module: the task that calls waits until the links of some pebbles, at
// most 256, have room.
func (t *Target[V]) AwaitRoom(_ engine.Key, vs []V) { t.core.awaitRoom(vs) }

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
func (t *Target[V]) Send(v V) { t.core.send(v) }

// SendAll sends pebbles as Send does, in batches that don't gather first: when the main function sends, those for this
// rank have been handled when SendAll returns. vs is not kept and not changed. In steady state it allocates nothing.
func (t *Target[V]) SendAll(vs []V) { t.core.sendAll(vs) }

// Flush sends on what this rank holds back for the target in buffers and in the reduction cache. It does not wait until
// the pebbles have been handled: the end of the epoch does (Active Pebbles, section 3.3).
func (t *Target[V]) Flush() { t.core.engine.Flush() }
