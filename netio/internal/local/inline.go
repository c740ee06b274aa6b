package local

import (
	"sync/atomic"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// inlineRing receives small frames for one rank of this process by value. A slot's cache line is at the receiver's
// processor once the receiver sees that the slot is filled. A frame's header, link and payload would have to move there
// one after the other, and back. The receiver copies the slots into frames of its own receive pool. Only a release
// count returns to the sender, if the release is awaited.
type inlineRing struct {
	netio.Heap // of the receive pool

	ring Ring
	rank uint32 // receiving rank
	from func(rank uint32) *Port
	_    [2 * cpu.CacheLine]byte

	head atomic.Uint64 // receiver's position as its senders have last seen it
	_    [2*cpu.CacheLine - 8]byte

	next uint64 // next sequence number of the receiver; its own, like the receive pool
	pool *netio.Pool
}

// A ring has room for the default credit of a sender in small frames. Rings of many ranks have fewer slots each.
const (
	inlineSlots     = 256
	inlineSlotsMany = 32
	manyRanks       = 64
)

func newInlineRing(ranks int, rank uint32, from func(rank uint32) *Port) *inlineRing {
	slots := inlineSlots
	if ranks > manyRanks {
		slots = inlineSlotsMany
	}
	r := &inlineRing{ring: Ring{Slots: alignedSlots(slots), Header: &RingHeader{}}, rank: rank, from: from}
	r.pool = netio.NewPool(r)
	return r
}

// alignedSlots returns slots on cache lines.
func alignedSlots(n int) []Slot {
	raw := cpu.AlignedBytes(n * SlotSize)
	return unsafe.Slice((*Slot)(unsafe.Pointer(&raw[0])), n)
}

// put copies a frame into the ring if the ring has room and the frame may travel by value. The sender calls it.
func (r *inlineRing) put(f *netio.Frame, sender *Port) bool {
	number := frame.None
	if f.Kind != netio.Control {
		var own bool
		if number, own = sender.pool.Inside(access).Number(f); !own {
			return false
		}
	}
	seq, ok := r.ring.Reserve(&r.head)
	if !ok {
		return false
	}
	s := r.ring.At(seq)
	s.CopyIn(f)
	s.Write(&f.Header, sender.rank, number)
	r.ring.Publish(s, seq)
	return true
}

// filled reports whether a frame has arrived.
func (r *inlineRing) filled() bool { return r.ring.Filled(r.next) }

// take returns the next frame in the ring, which must exist.
func (r *inlineRing) take() *netio.Frame {
	s := r.ring.At(r.next)
	s.Fetch()
	f := r.pool.Get(frame.InlineMax)
	s.read(&f.Header)
	in := f.Inside(access)
	f.To, in.Sender, in.Received = r.rank, s.sender, s.number
	s.CopyOut(f.Payload())
	r.next = r.ring.Advance(r.next)
	return f
}

// Release implements [netio.Keeper].
func (r *inlineRing) Release(p *netio.Pool, f *netio.Frame) {
	if in := f.Inside(access); in.Received != frame.None {
		sender := r.from(in.Sender)
		sender.pool.Inside(access).Released(in.Received)
		sender.parking.Notify()
	}
	p.TakeBack(f)
}

// access is the key to the transports' parts of frames and pools.
var access frame.Access
