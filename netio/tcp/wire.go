package tcp

import (
	"encoding/binary"
	"fmt"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// These are the kinds of messages that streams send besides frames. Heartbeats and goodbyes are a bare header. An abort
// message is a notice with its reason as payload. The payload of an acknowledgement is the slots of data frames whose
// copies were released, without one slot, which the header of any message may carry. Requests and answers are
// operations on exposed memory; notes are messages between processes.
const (
	heartbeat netio.Kind = 0xf0 + iota
	goodbye
	abort
	acknowledgement
	request
	answer
	note
)

const (
	slotBytes      = 4       // size of one slot in an acknowledgement
	reasonBytesMax = 4 << 10 // maximum size of the reason of an abort message
	ackBytesMax    = 4 << 10 // maximum size of the slots of one acknowledgement
	noteBytesMax   = netio.NoteBytesMax

	afterFailure = 1 // in the flags of a goodbye: its sender leaves a job that has failed
)

// envelope is the data that travels beside a header.
type envelope struct {
	number  frame.Number // zero except for data frames
	acks    uint32       // slot that it acknowledges, plus one; 0 for none
	payload uint32       // CRC32C of the payload
}

// encode writes the header before the payload, and returns both in one piece, ready for the wire. The header ends with
// the CRC32C of the payload and its own.
func encode(f *netio.Frame, acks uint32) []byte {
	in := f.Inside(access)
	b := in.Memory[frame.HeaderRoom-frame.WireHeader : frame.HeaderRoom+int(f.Bytes)]
	encodeHeader(b, &f.Header, envelope{in.Sent, acks, cpu.Checksum(f.Payload())})
	return b
}

func encodeHeader(b []byte, h *netio.Header, e envelope) {
	_ = b[frame.WireHeader-1]
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
	binary.LittleEndian.PutUint32(b[40:], uint32(e.number))
	binary.LittleEndian.PutUint32(b[44:], e.acks)
	binary.LittleEndian.PutUint32(b[48:], e.payload)
	binary.LittleEndian.PutUint32(b[52:], cpu.Checksum(b[:52]))
}

// decodeHeader decodes the first frame.WireHeader bytes of b. It checks only the header's own sum and the size of the
// payload.
func decodeHeader(b []byte) (h netio.Header, e envelope, err error) {
	_ = b[frame.WireHeader-1]
	if binary.LittleEndian.Uint32(b[52:]) != cpu.Checksum(b[:52]) {
		return h, e, fmt.Errorf("check header: %w: wrong CRC32C", netio.ErrDamaged)
	}
	h = netio.Header{
		Kind:   netio.Kind(b[0]),
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
	if h.Bytes > netio.FrameBytesMax {
		return h, e, fmt.Errorf("check header: %w: %d bytes of payload, the most is %d",
			netio.ErrDamaged, h.Bytes, netio.FrameBytesMax)
	}
	e.number = frame.Number(binary.LittleEndian.Uint32(b[40:]))
	e.acks = binary.LittleEndian.Uint32(b[44:])
	e.payload = binary.LittleEndian.Uint32(b[48:])
	return h, e, nil
}

// message makes a frame that one stream sends another, in its own memory: it does not return to a pool in use.
func message(kind netio.Kind, text string) *netio.Frame {
	return messageOf(netio.NewPool(nil), kind, text)
}

// messageOf is message with the memory of a pool.
func messageOf(p *netio.Pool, kind netio.Kind, text string) *netio.Frame {
	f := p.Get(len(text))
	f.Kind = kind
	f.Bytes = uint32(copy(f.Space(), text))
	return f
}
