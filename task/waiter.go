package task

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
)

// Rank is the one whose tasks these are.
func (s *Scheduler) Rank() *pebble.Rank { return s.rank }

// Waiter is a task that waits for something of another package of this module.
type Waiter struct{ w *worker }

// Waiter is the task that calls. It is for the other packages of this module: nobody else can name the type of its
// argument.
func (s *Scheduler) Waiter(engine.Key) Waiter { return Waiter{s.current} }

// Wait lets the task wait until Wake is called. call is what an error says that it waits in; at is what it will look
// at then.
func (w Waiter) Wait(call string, at unsafe.Pointer) {
	w.w.place.Awaits(at)
	w.w.wait(call)
}

// Wake lets the task go on, once.
func (w Waiter) Wake() { w.w.wake() }
