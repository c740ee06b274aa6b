package netio

import (
	"math/bits"
	"sync/atomic"
)

// ring holds the slots that are on their way to one rank: many senders, one receiver, no lock. A sender draws a
// ticket, fills the slot of that number, and stores which time around the ring this is. Only senders write to slots and
// only the receiver reads them, so that a cache line passes from one processor to the other once. Where the receiver is
// stands on a line of its own, which senders look at when the ring seems full.
//
// A sender that dies between drawing and storing stops the ring. Its death ends the job.
type ring struct {
	slots []slot // a power of two
	desk  *desk
}

// turn says which time around the ring a ticket's is, from 1 on.
func (r *ring) turn(ticket uint64) uint32 {
	return uint32(ticket>>(bits.TrailingZeros(uint(len(r.slots)))&63)) + 1 // a division would be on the path of each look
}

func (r *ring) at(ticket uint64) *slot { return &r.slots[ticket&uint64(len(r.slots)-1)] }

// draw returns a ticket, unless the ring is full. seen is what senders know of how far the receiver is.
func (r *ring) draw(seen *atomic.Uint64) (ticket uint64, ok bool) {
	for {
		head := seen.Load()
		ticket = r.desk.tail.Load() // after head, so that it is no less
		if ticket-head >= uint64(len(r.slots)) {
			head = r.desk.head.Load()
			seen.Store(head)
			if int64(ticket-head) >= int64(len(r.slots)) { // others may have drawn and been served since
				return 0, false
			}
		}
		if r.desk.tail.CompareAndSwap(ticket, ticket+1) {
			return ticket, true
		}
	}
}

// publish shows a filled slot to the receiver.
func (r *ring) publish(ticket uint64) {
	shmPublish()
	r.at(ticket).turn.Store(r.turn(ticket))
}

// filled tells whether the slot of the receiver's next ticket has been published.
func (r *ring) filled(ticket uint64) bool {
	if r.at(ticket).turn.Load() != r.turn(ticket) {
		return false
	}
	shmObserve()
	return true
}

// headTold is how many slots the receiver empties before it tells, or a quarter of a small ring.
const headTold = 64

// empty says that the receiver is done with the slot of its next ticket, and returns the one after.
func (r *ring) empty(ticket uint64) uint64 {
	ticket++
	if ticket&uint64(min(headTold, len(r.slots)/4)-1) == 0 {
		r.desk.head.Store(ticket)
	}
	return ticket
}
