package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// packetMost is the length of the longest packet that readers accept.
const packetMost = 16 << 10

// Reasons why a file cannot be read further.
var (
	errCut     = errors.New("its last packet is cut")
	errDamaged = errors.New("it is damaged")
)

// reader reads the packets of a file.
type reader struct {
	in *bufio.Reader
	at int64 // begin of the next packet
}

func newReader(in io.Reader) *reader { return &reader{in: bufio.NewReaderSize(in, 2*packetMost)} }

// next returns the next packet: whole, with its length before it, and its content. They are valid until the next call.
// The error is io.EOF after the last packet, errCut, errDamaged, or an error of the file.
func (r *reader) next() (whole, inside []byte, err error) {
	head, err := r.in.Peek(1 + binary.MaxVarintLen64)
	if len(head) == 0 {
		return nil, nil, err
	}
	if head[0] != tracePacket<<3|wireBytes {
		return nil, nil, errDamaged
	}
	length, n := binary.Uvarint(head[1:])
	switch {
	case n == 0:
		return nil, nil, cut(err)
	case n < 0 || length > packetMost:
		return nil, nil, errDamaged
	}
	whole, err = r.in.Peek(1 + n + int(length))
	if err != nil {
		return nil, nil, cut(err)
	}
	whole = whole[:len(whole):len(whole)]
	r.at += int64(len(whole))
	_, err = r.in.Discard(len(whole)) // the result of Peek is valid until the next read
	return whole, whole[1+n:], err
}

// cut returns the error for a packet whose end could not be read.
func cut(err error) error {
	if err == io.EOF {
		return errCut
	}
	return err
}

// field is one field of a message.
type field struct {
	number, wire int
	value        uint64 // unless it has bytes
	bytes        []byte
}

func (f *field) is(number, wire int) bool { return f.number == number && f.wire == wire }

// each calls visit with the fields of a message, and reports whether the message is valid.
func each(message []byte, visit func(f *field)) bool {
	for len(message) > 0 {
		f, n := parse(message)
		if n == 0 {
			return false
		}
		visit(&f)
		message = message[n:]
	}
	return true
}

// parse returns the first field of a message and its size, or 0 if it is invalid.
func parse(b []byte) (f field, size int) {
	tag, n := binary.Uvarint(b)
	if n <= 0 || tag>>3 == 0 || tag>>3 >= 1<<29 {
		return f, 0
	}
	f.number, f.wire = int(tag>>3), int(tag&7)
	rest := b[n:]
	switch f.wire {
	case wireVarint:
		value, m := binary.Uvarint(rest)
		f.value = value
		if m <= 0 {
			return f, 0
		}
		return f, n + m
	case wireBytes:
		length, m := binary.Uvarint(rest)
		if m <= 0 || length > uint64(len(rest)-m) {
			return f, 0
		}
		f.bytes = rest[m : m+int(length)]
		return f, n + m + int(length)
	case wire64:
		return f, fixed(n, len(rest), 8)
	case wire32:
		return f, fixed(n, len(rest), 4)
	}
	return f, 0
}

// fixed returns the size of a field of fixed size whose value is unused.
func fixed(tag, rest, size int) int {
	if rest < size {
		return 0
	}
	return tag + size
}
