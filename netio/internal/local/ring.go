package local

import (
	"math/bits"
	"sync/atomic"
)

// Ring holds the slots on their way to one rank: many senders, one receiver, no lock. A sender reserves a sequence
// number, fills the slot of that number, and stores the current round of the ring. Only senders write to slots and only
// the receiver reads them, so a cache line passes from one processor to the other once. The receiver's position has its
// own line, which senders read when the ring seems full.
//
// A sender that dies between reserving and publishing stops the ring. Its death ends the job.
type Ring struct {
	Slots  []Slot // a power of two
	Header *RingHeader
}

// RingHeader is the state, besides slots, that a rank shares with its senders. Each word is alone on two cache lines,
// which processors fetch together.
type RingHeader struct {
	Tail     atomic.Uint64 // sequence numbers reserved by senders
	_        [SlotSize - 8]byte
	Head     atomic.Uint64 // slots that the rank has emptied, as last published
	_        [SlotSize - 8]byte
	Released atomic.Uint64 // entries reserved by releasers, over shared memory
	_        [SlotSize - 8]byte
	Asleep   atomic.Uint32 // sleep state of the rank, over shared memory
	_        [SlotSize - 4]byte
}

// turn returns the round of the ring for a sequence number, from 1 on.
func (r *Ring) turn(seq uint64) uint32 {
	return uint32(seq>>(bits.TrailingZeros(uint(len(r.Slots)))&63)) + 1 // a division would slow each look
}

// At returns the slot of a sequence number.
func (r *Ring) At(seq uint64) *Slot { return &r.Slots[seq&uint64(len(r.Slots)-1)] }

// Reserve returns a sequence number, unless the ring is full. head caches the receiver's position for the senders.
func (r *Ring) Reserve(head *atomic.Uint64) (seq uint64, ok bool) {
	for {
		known := head.Load()
		seq = r.Header.Tail.Load() // loaded after head, so it is no less
		if seq-known >= uint64(len(r.Slots)) {
			known = r.Header.Head.Load()
			head.Store(known)
			if int64(seq-known) >= int64(len(r.Slots)) { // others may have reserved and been served since
				return 0, false
			}
		}
		if r.Header.Tail.CompareAndSwap(seq, seq+1) {
			return seq, true
		}
	}
}

// Publish makes the slot of a sequence number visible to the receiver. The slot must be filled.
func (r *Ring) Publish(s *Slot, seq uint64) {
	Published()
	s.turn.Store(r.turn(seq))
}

// Filled reports whether the slot of the receiver's next sequence number has been published.
func (r *Ring) Filled(seq uint64) bool {
	if r.At(seq).turn.Load() != r.turn(seq) {
		return false
	}
	Observed()
	return true
}

// headEvery is the number of slots that the receiver empties before it publishes its position. In a small ring it is a
// quarter of the slots.
const headEvery = 64

// Advance releases the slot of the receiver's next sequence number, and returns the number after it.
func (r *Ring) Advance(seq uint64) uint64 {
	seq++
	if seq&uint64(min(headEvery, len(r.Slots)/4)-1) == 0 {
		r.Header.Head.Store(seq)
	}
	return seq
}
