// Package future lets a rank's tasks and its main function wait for what comes later: an answer, or the end of
// operations on memory.
package future

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
)

// Future is what one call waits for. It is used again by other calls, so that waiting allocates nothing. It is for the
// goroutine of its rank.
type Future struct {
	done   func() bool
	waiter engine.Waiter
	waits  bool   // waiter does
	use    uint32 // how many calls have had it
}

// Init comes before the first use. done reports whether what is waited for is there.
func (f *Future) Init(done func() bool) { f.done = done }

// Await waits until it is done: a task lets others run, the main function in an epoch's body handles what arrives.
// call is what the program has called, and in what a task is said to wait in.
func (f *Future) Await(r *engine.Rank, call, in string) {
	switch {
	case f.done():
	case r.InTask(call):
		f.Suspend(r, call, in)
	default:
		r.Await(call, f.done)
	}
}

// Suspend lets the task that calls wait, which is not done. call and in are those of Await.
func (f *Future) Suspend(r *engine.Rank, call, in string) {
	f.waiter, f.waits = r.Tasks().Waiter(), true
	r.Suspend(f.waiter, call, in, unsafe.Pointer(f))
}

// Done is its predicate, for waits of the engine.
func (f *Future) Done() func() bool { return f.done }

// Wake comes when it is done: the task that waits goes on.
func (f *Future) Wake() {
	if f.waits {
		f.waits = false
		f.waiter.Wake()
	}
}

// Renew ends its use by a call: tickets of it are good no more.
func (f *Future) Renew() { f.use++ }

// Ticket is a future as one call has it.
func (f *Future) Ticket() Ticket { return Ticket{f.use} }

// Ticket says by which call a future is used.
type Ticket struct{ use uint32 }

// Ready reports whether a wait for a future would not wait, also where that is over.
func (t Ticket) Ready(f *Future) bool { return t.use != f.use || f.done() }

// Good reports whether the future is still that of the call.
func (t Ticket) Good(f *Future) bool { return t.use == f.use }

// Waited reports whether a task waits for the future.
func (f *Future) Waited() bool { return f.waits }
