// Package future lets a rank's tasks wait for an answer, or for the end of operations on memory.
package future

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
)

// Future is the event that one call waits for. Other calls reuse it, so that waiting allocates nothing. It is for the
// goroutine of its rank.
type Future struct {
	waiter engine.Waiter
	waits  bool   // waiter waits
	use    uint32 // number of calls that have had it
}

// Suspend makes the calling task wait until Wake is called. Other tasks run meanwhile. call is the program's call, and
// in names the wait in reports.
//
// After a switch of tasks the processor mispredicts the returns, and each function on the way here adds one. So their
// number is small.
func (f *Future) Suspend(r *engine.Rank, call, in string) {
	began, traced := r.Publisher.Sampled()
	f.waiter, f.waits = r.Tasks.Current().Waiter(), true
	f.waiter.Wait(in, unsafe.Pointer(f))
	if traced {
		r.Publisher.TraceAwait(call, began)
	}
}

// Wake wakes the waiting task.
func (f *Future) Wake() {
	if f.waits {
		f.waits = false
		f.waiter.Wake()
	}
}

// Waited reports whether a task waits for the future.
func (f *Future) Waited() bool { return f.waits }

// Renew ends its use by a call: its tickets are no longer valid.
func (f *Future) Renew() { f.use++ }

// Ticket returns a ticket for the current call.
func (f *Future) Ticket() Ticket { return Ticket{f.use} }

// Ticket identifies the call that uses a future.
type Ticket struct{ use uint32 }

// Good reports whether the call still uses the future.
func (t Ticket) Good(f *Future) bool { return t.use == f.use }
