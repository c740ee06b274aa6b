package trace

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Wire types of protobuf.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

func appendTag(b []byte, field, wire int) []byte {
	return binary.AppendUvarint(b, uint64(field)<<3|uint64(wire))
}

func appendUint(b []byte, field int, v uint64) []byte {
	return binary.AppendUvarint(appendTag(b, field, wireVarint), v)
}

func appendDouble(b []byte, field int, v float64) []byte {
	return binary.LittleEndian.AppendUint64(appendTag(b, field, wire64), math.Float64bits(v))
}

func appendText(b []byte, field int, text string) []byte {
	b = binary.AppendUvarint(appendTag(b, field, wireBytes), uint64(len(text)))
	return append(b, text...)
}

// open begins a message within b. Pass the returned position of its first byte to shut, which ends it.
func open(b []byte, field int) (_ []byte, at int) {
	b = append(appendTag(b, field, wireBytes), 0) // length, one byte in most messages
	return b, len(b)
}

// shut ends the message whose bytes began at a position.
func shut(b []byte, at int) []byte {
	var length [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(length[:], uint64(len(b)-at))
	b[at-1] = length[0]
	if n == 1 {
		return b
	}
	return slices.Insert(b, at, length[1:n]...)
}

// textMost bounds texts, in bytes.
const textMost = 200

// clean makes a text valid for a trace: UTF-8, not too long.
func clean(text string) string {
	if len(text) > textMost {
		text = text[:textMost]
	}
	return strings.ToValidUTF8(text, "")
}
