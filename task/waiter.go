package task

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
)

// Rank is the one whose tasks these are.
func (s *Scheduler) Rank() *pebble.Rank { return s.rank }

// waiter is a task that waits for something of another package of this module.
type waiter struct{ w *worker }

// Waiter implements engine.Tasks.
func (s tasks) Waiter() engine.Waiter { return waiter{s.current} }

// Wait implements engine.Waiter.
func (w waiter) Wait(call string, at unsafe.Pointer) {
	w.w.place.Awaits(at)
	w.w.wait(call)
}

// Wake implements engine.Waiter.
func (w waiter) Wake() { w.w.wake() }
