package netio

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Kinds of messages that lanes send each other besides frames. Heartbeats and goodbyes are a bare header; the payload of
// an abort message is its reason.
const (
	heartbeat Kind = 0xf0 + iota
	goodbye
	abort
)

// reasonBytesMax bounds the reason that is sent with an abort message.
const reasonBytesMax = 4 << 10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal writes the header ahead of the payload, and returns both in one piece: what travels. The header ends with the
// CRC32C of the payload and, last, its own.
func (f *Frame) seal() []byte {
	b := f.mem[headerRoom-headerBytes : headerRoom+int(f.Bytes)]
	encodeHeader(b, &f.Header, crc32.Checksum(f.Payload(), castagnoli))
	return b
}

func encodeHeader(b []byte, h *Header, payloadSum uint32) {
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
	binary.LittleEndian.PutUint32(b[40:], payloadSum)
	binary.LittleEndian.PutUint32(b[44:], crc32.Checksum(b[:44], castagnoli))
}

// decodeHeader reads the first headerBytes of b. It checks the header's own sum and the size of the payload, no more.
func decodeHeader(b []byte) (h Header, payloadSum uint32, err error) {
	_ = b[headerBytes-1]
	if binary.LittleEndian.Uint32(b[44:]) != crc32.Checksum(b[:44], castagnoli) {
		return h, 0, fmt.Errorf("check header: %w: wrong CRC32C", ErrDamaged)
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
		return h, 0, fmt.Errorf("check header: %w: %d bytes of payload, the most is %d", ErrDamaged, h.Bytes, FrameBytesMax)
	}
	return h, binary.LittleEndian.Uint32(b[40:]), nil
}

// message makes a frame that one lane sends another. It is memory of its own: nobody waits for it to come back.
func message(kind Kind, text string) *Frame {
	f := NewPool(nil).Get(len(text))
	f.Kind = kind
	f.Bytes = uint32(copy(f.Space(), text))
	return f
}
