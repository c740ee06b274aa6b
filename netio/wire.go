package netio

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Kinds of messages that lanes send each other besides frames. Heartbeats and goodbyes are a bare header; the payload of
// an abort message is its reason, that of an acknowledgement the slots of data frames whose copies were released.
const (
	heartbeat Kind = 0xf0 + iota
	goodbye
	abort
	acknowledgement
)

const (
	slotBytes      = 4       // of one slot in an acknowledgement
	reasonBytesMax = 4 << 10 // of the reason that is sent with an abort message
	slotsBytesMax  = 4 << 10 // of the slots of one acknowledgement
)

// ticket travels with a data frame: the slot by which its receiver acknowledges it, and in the lowest bit whether to do
// so promptly.
type ticket uint32

func newTicket(slot uint32, prompt bool) ticket {
	if prompt {
		return ticket(slot<<1 | 1)
	}
	return ticket(slot << 1)
}

func (t ticket) slot() uint32 { return uint32(t >> 1) }

func (t ticket) prompt() bool { return t&1 != 0 }

// envelope is what travels with a header besides.
type envelope struct {
	ticket  ticket // zero but for data frames
	payload uint32 // CRC32C of the payload
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal writes the header ahead of the payload, and returns both in one piece: what travels. The header ends with the
// CRC32C of the payload and, last, its own.
func (f *Frame) seal() []byte {
	b := f.mem[headerRoom-headerBytes : headerRoom+int(f.Bytes)]
	encodeHeader(b, &f.Header, envelope{f.ticket, crc32.Checksum(f.Payload(), castagnoli)})
	return b
}

func encodeHeader(b []byte, h *Header, e envelope) {
	_ = b[headerBytes-1]
	b[0], b[1] = byte(h.Kind), h.Flags
	binary.LittleEndian.PutUint16(b[2:], h.Target)
	binary.LittleEndian.PutUint32(b[4:], h.Epoch)
	binary.LittleEndian.PutUint32(b[8:], h.From)
	binary.LittleEndian.PutUint32(b[12:], h.To)
	binary.LittleEndian.PutUint32(b[16:], h.Count)
	binary.LittleEndian.PutUint32(b[20:], h.Bytes)
	binary.LittleEndian.PutUint32(b[24:], h.Check)
	binary.LittleEndian.PutUint32(b[28:], h.Tag)
	binary.LittleEndian.PutUint64(b[32:], h.Seq)
	binary.LittleEndian.PutUint32(b[40:], uint32(e.ticket))
	binary.LittleEndian.PutUint32(b[44:], e.payload)
	binary.LittleEndian.PutUint32(b[48:], crc32.Checksum(b[:48], castagnoli))
}

// decodeHeader reads the first headerBytes of b. It checks the header's own sum and the size of the payload, no more.
func decodeHeader(b []byte) (h Header, e envelope, err error) {
	_ = b[headerBytes-1]
	if binary.LittleEndian.Uint32(b[48:]) != crc32.Checksum(b[:48], castagnoli) {
		return h, e, fmt.Errorf("check header: %w: wrong CRC32C", ErrDamaged)
	}
	h = Header{
		Kind:   Kind(b[0]),
		Flags:  b[1],
		Target: binary.LittleEndian.Uint16(b[2:]),
		Epoch:  binary.LittleEndian.Uint32(b[4:]),
		From:   binary.LittleEndian.Uint32(b[8:]),
		To:     binary.LittleEndian.Uint32(b[12:]),
		Count:  binary.LittleEndian.Uint32(b[16:]),
		Bytes:  binary.LittleEndian.Uint32(b[20:]),
		Check:  binary.LittleEndian.Uint32(b[24:]),
		Tag:    binary.LittleEndian.Uint32(b[28:]),
		Seq:    binary.LittleEndian.Uint64(b[32:]),
	}
	if h.Bytes > FrameBytesMax {
		return h, e, fmt.Errorf("check header: %w: %d bytes of payload, the most is %d", ErrDamaged, h.Bytes, FrameBytesMax)
	}
	e.ticket = ticket(binary.LittleEndian.Uint32(b[40:]))
	e.payload = binary.LittleEndian.Uint32(b[44:])
	return h, e, nil
}

// message makes a frame that one lane sends another. It is memory of its own: nobody waits for it to come back.
func message(kind Kind, text string) *Frame {
	f := NewPool(nil).Get(len(text))
	f.Kind = kind
	f.Bytes = uint32(copy(f.Space(), text))
	return f
}
