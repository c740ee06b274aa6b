// Package frame holds the part of netio that its transports share and users do not see: the sizes of frames, and the
// data that a frame carries on its way. It also has the key to functions that packages of this module keep to
// themselves.
package frame

import "math/bits"

// Access is the key to exported functions that only packages of this module call: a function that takes one cannot be
// called from outside, where this type cannot be named.
type Access struct{}

// HeaderRoom is the free memory ahead of a frame's payload, in bytes. A header of [WireHeader] bytes is written there,
// so that header and payload leave in one piece and the payload starts on a cache line.
const (
	HeaderRoom = 64
	WireHeader = 56
)

// The capacity of a frame is a power of two of bytes, 1<<class.
const (
	ClassMin   = 8
	ClassCount = 32
)

// ClassOf returns the class of frames with at least n bytes of payload.
func ClassOf(n int) int { return max(ClassMin, bits.Len(uint(max(n, 1)-1))) }

// Class returns the class of a frame by the length of its memory.
func Class(memory []byte) int { return bits.Len(uint(len(memory) - HeaderRoom - 1)) }

// Bytes returns the memory that a frame of a class takes.
func Bytes(class int) int64 { return HeaderRoom + 1<<class }

// InlineMax is the largest payload that travels inside a slot of a ring, in bytes.
const InlineMax = 80

// Transit is a transport's data on a frame.
type Transit struct {
	Sent     Number // of a data frame that was sent to another process
	Received Number // of a frame from another process or through a ring: its number there
	Sender   uint32 // rank whose pool has lent the frame, if it came through a ring
	Stale    bool   // another process may still read its memory, which must not be reused
}

// Number identifies a frame in the acknowledgement of its release: the in-flight slot at its sender, or for small
// frames in one process the release count of their account. Over TCP the lowest bit asks for a prompt acknowledgement.
type Number uint32

// None is the number of frames without acknowledgement.
const None = ^Number(0)

// NewNumber returns the number of an in-flight slot over TCP.
func NewNumber(slot uint32, prompt bool) Number {
	if prompt {
		return Number(slot<<1 | 1)
	}
	return Number(slot << 1)
}

// Slot returns the in-flight slot of a number over TCP.
func (n Number) Slot() uint32 { return uint32(n >> 1) }

// Prompt reports whether a number over TCP asks for a prompt acknowledgement.
func (n Number) Prompt() bool { return n&1 != 0 }
