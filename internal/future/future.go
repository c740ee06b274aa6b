// Package future lets a rank's tasks wait for what comes later: an answer, or the end of operations on memory.
package future

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
)

// Future is what one call waits for. It is used again by other calls, so that waiting allocates nothing. It is for the
// goroutine of its rank.
type Future struct {
	waiter engine.Waiter
	waits  bool   // waiter does
	use    uint32 // how many calls have had it
}

// Suspend lets the task that calls wait for what is not there yet, until Wake is called. Other tasks run meanwhile.
// call is what the program has called, and in what the task is said to wait in.
//
// After a switch of tasks the processor mispredicts the returns, and each function on the way here is one more. So
// there are few.
func (f *Future) Suspend(r *engine.Rank, call, in string) {
	began, traced := r.Publisher.Sampled()
	f.waiter, f.waits = r.Tasks.Current().Waiter(), true
	f.waiter.Wait(in, unsafe.Pointer(f))
	if traced {
		r.Publisher.TraceAwait(call, began)
	}
}

// Wake comes when it is there: the task that waits goes on.
func (f *Future) Wake() {
	if f.waits {
		f.waits = false
		f.waiter.Wake()
	}
}

// Waited reports whether a task waits for the future.
func (f *Future) Waited() bool { return f.waits }

// Renew ends its use by a call: tickets of it are good no more.
func (f *Future) Renew() { f.use++ }

// Ticket is a future as one call has it.
func (f *Future) Ticket() Ticket { return Ticket{f.use} }

// Ticket says by which call a future is used.
type Ticket struct{ use uint32 }

// Good reports whether the future is still that of the call.
func (t Ticket) Good(f *Future) bool { return t.use == f.use }
