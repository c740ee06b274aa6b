package netio

import (
	"sync/atomic"
	"unsafe"
)

// slot is one frame, or a descriptor of one, between two ranks that share memory: two cache lines, of which small frames need
// only the first. A frame of up to inlineMax bytes travels in the slot; of a longer one only its place does.
type slot struct {
	turn    atomic.Uint32 // which time around the ring the slot was written; last to be stored, first to be loaded
	kind    Kind          // with byReference when the body is a place
	flags   uint8
	target  uint16
	epoch   uint32
	from    uint32
	count   uint32
	bytes   uint32
	check   uint32
	tag     uint32
	seq     uint64
	sender  uint32 // the rank that the frame is to come back to
	passage uint32 // by which it comes back, or noPassage: of the sender's passages, or its accounts in a tray
	body    [inlineMax]byte
}

const (
	slotSize         = 2 * cacheLine
	inlineMax        = slotSize - 48 // 16 of them on the slot's first cache line
	byReference Kind = 0x80
	noPassage        = ^uint32(0)
)

// place is where the memory of a frame lies in the arena of its sender's process.
type place struct {
	offset uint64
	class  uint32 // of the frame's size
}

// letter is a slot's contents, read once: whoever can write to the slot could change it at any time.
type letter struct {
	Header
	sender  uint32
	passage uint32
	place   place // when byReference
	inline  bool
}

func (s *slot) write(h *Header, sender, passage uint32) {
	s.kind, s.flags, s.target, s.epoch = h.Kind, h.Flags, h.Target, h.Epoch
	s.from, s.count, s.bytes, s.check, s.tag, s.seq = h.From, h.Count, h.Bytes, h.Check, h.Tag, h.Seq
	s.sender, s.passage = sender, passage
}

func (s *slot) refer(p place) {
	s.kind |= byReference
	*(*place)(unsafe.Pointer(&s.body)) = p
}

// read fills in all of a header but To, which whoever has the ring knows.
func (s *slot) read(h *Header) {
	h.Kind, h.Flags, h.Target, h.Epoch, h.From = s.kind, s.flags, s.target, s.epoch, s.from
	h.Count, h.Bytes, h.Check, h.Tag, h.Seq = s.count, s.bytes, s.check, s.tag, s.seq
}

// letter is the whole.
func (s *slot) letter() letter {
	l := letter{sender: s.sender, passage: s.passage, inline: true}
	s.read(&l.Header)
	if l.Kind&byReference != 0 {
		l.Kind, l.inline = l.Kind&^byReference, false
		l.place = *(*place)(unsafe.Pointer(&s.body))
	}
	return l
}

// copyInline copies a small frame's payload, in words: it has room for whole ones, and so has the slot.
func copyInline(s *slot, f *Frame) {
	from := (*[inlineMax / 8]uint64)(f.Base())
	to := (*[inlineMax / 8]uint64)(unsafe.Pointer(&s.body))
	for i := range (f.Bytes + 7) / 8 {
		to[i] = from[i]
	}
}
