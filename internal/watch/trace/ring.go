package trace

import (
	"sync/atomic"
	"time"
)

// ringSize is the number of events in a ring, a power of two.
const ringSize = 4096

// event is one event of a rank.
type event struct {
	begin, end time.Duration
	a, b       uint64
	name       Name
	weight     uint32 // number of events that it represents
	kind       Kind
	instant    bool
}

// ring passes events from one goroutine to another. Neither waits.
type ring struct {
	slots *[ringSize]event

	_    [64]byte // keeps the frequent writes of one side off the other's cache lines
	head atomic.Uint64
	next uint64 // the producer's copy of head
	free uint64 // events before this one have been taken, as the producer has last seen
	lost atomic.Uint64

	_    [64]byte
	tail atomic.Uint64
	_    [64]byte
}

// slot returns the place of the next event. Without room it counts a dropped event, and returns nil.
func (r *ring) slot() *event {
	if r.next-r.free == ringSize && !r.hasRoom() {
		return nil
	}
	return &r.slots[r.next%ringSize]
}

// hasRoom looks for events that were taken. Without any, it counts a dropped event.
func (r *ring) hasRoom() bool {
	if r.free = r.tail.Load(); r.next-r.free < ringSize {
		return true
	}
	r.lost.Store(r.lost.Load() + 1) // only this goroutine writes it
	return false
}

// push publishes the event in the slot.
func (r *ring) push() {
	r.next++
	r.head.Store(r.next)
}

// drain takes out all present events. The pointer is valid during the call of take.
func (r *ring) drain(take func(*event)) {
	head := r.head.Load()
	for at := r.tail.Load(); at != head; at++ {
		take(&r.slots[at%ringSize])
	}
	r.tail.Store(head)
}
