package task

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
)

// Rank returns the rank that the tasks belong to.
func (s *Scheduler) Rank() *pebble.Rank { return s.rank }

// Waiter implements engine.Tasks.
func (s tasks) Waiter() engine.Waiter { return s.current }

// Wait implements engine.Waiter.
func (w *worker) Wait(call string, at unsafe.Pointer) {
	w.place.Awaits(at)
	w.wait(call)
}

// Wake implements engine.Waiter.
func (w *worker) Wake() { w.wake() }
