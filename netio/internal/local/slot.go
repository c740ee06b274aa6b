package local

import (
	"sync/atomic"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// Slot is one frame, or a descriptor of one, between two ranks that share memory. It has two cache lines; small frames
// need only the first. A frame of up to frame.InlineMax bytes travels in the slot; a longer one sends only its
// location.
//
// A waiting receiver reads the first line all the time. So a sender fills the second line first; otherwise the first
// line would go to the receiver and come back while the sender waits for the second.
type Slot struct {
	turn   atomic.Uint32 // round of the ring in which the slot was written; stored last, loaded first
	kind   netio.Kind    // includes byLocation when the body is a location
	flags  uint8
	target uint16
	epoch  uint32
	from   uint32
	count  uint32
	bytes  uint32
	check  uint32
	tag    uint32
	seq    uint64
	sender uint32       // rank that gets the frame back
	number frame.Number // number for the report of its release, or frame.None
	body   [frame.InlineMax]byte
}

// SlotSize is the size of a slot, in bytes.
const SlotSize = 2 * cpu.CacheLine

const byLocation netio.Kind = 0x80

var _ [SlotSize - unsafe.Sizeof(Slot{})]byte

// Location is the place of a frame's memory in the arena of its sender's process.
type Location struct {
	Offset uint64
	Class  uint32 // of the frame's size
}

// Descriptor is a copy of a slot, read once: a process with write access to the slot could change it at any time.
type Descriptor struct {
	netio.Header
	Sender   uint32
	Number   frame.Number
	Location Location // unless Inline
	Inline   bool
}

// onFirst is the number of bytes of the body on the slot's first cache line.
const onFirst = cpu.CacheLine - unsafe.Offsetof(Slot{}.body)

// Write fills in all fields but the body, which must be filled first.
func (s *Slot) Write(h *netio.Header, sender uint32, number frame.Number) {
	s.kind, s.flags, s.target, s.epoch = h.Kind, h.Flags, h.Target, h.Epoch
	s.from, s.count, s.bytes, s.check, s.tag, s.seq = h.From, h.Count, h.Bytes, h.Check, h.Tag, h.Seq
	s.sender, s.number = sender, number
}

// Refer makes the body a location.
func (s *Slot) Refer(l Location) {
	s.kind |= byLocation
	*(*Location)(unsafe.Pointer(&s.body)) = l
}

// CopyIn copies a small frame's payload into the body, in words: both have room for whole words. It begins at the end.
func (s *Slot) CopyIn(f *netio.Frame) {
	from := (*[frame.InlineMax / 8]uint64)(f.Base())
	to := (*[frame.InlineMax / 8]uint64)(unsafe.Pointer(&s.body))
	for i := int(f.Bytes+7)/8 - 1; i >= 0; i-- {
		to[i] = from[i]
	}
}

// Fetch prefetches the part of a frame on the slot's second line, while the first line is used.
func (s *Slot) Fetch() {
	if s.bytes > uint32(onFirst) && s.bytes <= frame.InlineMax {
		cpu.Prefetch(unsafe.Pointer(&s.body[onFirst]), 1)
	}
}

// CopyOut copies the body into a payload.
func (s *Slot) CopyOut(payload []byte) { copy(payload, s.body[:]) }

// read fills in a header except To, which is the ring's rank.
func (s *Slot) read(h *netio.Header) {
	h.Kind, h.Flags, h.Target, h.Epoch, h.From = s.kind, s.flags, s.target, s.epoch, s.from
	h.Count, h.Bytes, h.Check, h.Tag, h.Seq = s.count, s.bytes, s.check, s.tag, s.seq
}

// Descriptor reads the slot.
func (s *Slot) Descriptor() Descriptor {
	d := Descriptor{Sender: s.sender, Number: s.number, Inline: true}
	s.read(&d.Header)
	if d.Kind&byLocation != 0 {
		d.Kind, d.Inline = d.Kind&^byLocation, false
		d.Location = *(*Location)(unsafe.Pointer(&s.body))
	}
	return d
}
