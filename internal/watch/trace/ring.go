package trace

import (
	"sync/atomic"
	"time"
)

// ringSize is how many events a ring holds: a power of two.
const ringSize = 4096

// event is one event of a rank.
type event struct {
	begin, end time.Duration
	a, b       uint64
	name       Name
	weight     uint32 // it stands for so many
	kind       Kind
	instant    bool
}

// ring passes events from one goroutine to another. Neither waits.
type ring struct {
	slots *[ringSize]event

	_    [64]byte // what one side writes often is on no cache line of the other's
	head atomic.Uint64
	next uint64 // the producer's copy of head
	free uint64 // events before this one have been taken, as the producer knows
	lost atomic.Uint64

	_    [64]byte
	tail atomic.Uint64
	_    [64]byte
}

// slot is where the next event goes; nil if there is no room: then the event is dropped, and has been counted.
func (r *ring) slot() *event {
	if r.next-r.free == ringSize && !r.hasRoom() {
		return nil
	}
	return &r.slots[r.next%ringSize]
}

// hasRoom looks how much has been taken. If nothing has, it counts an event that is dropped.
func (r *ring) hasRoom() bool {
	if r.free = r.tail.Load(); r.next-r.free < ringSize {
		return true
	}
	r.lost.Store(r.lost.Load() + 1) // only this goroutine writes it
	return false
}

// push makes the event in the slot one that can be taken.
func (r *ring) push() {
	r.next++
	r.head.Store(r.next)
}

// drain takes out all events that are there now. The pointer is good for the call of take.
func (r *ring) drain(take func(*event)) {
	head := r.head.Load()
	for at := r.tail.Load(); at != head; at++ {
		take(&r.slots[at%ringSize])
	}
	r.tail.Store(head)
}
