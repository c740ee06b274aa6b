package netio

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
)

// Kind is the part of the runtime that a frame is for.
type Kind uint8

const (
	// Data frames carry pebbles; termination detection counts them.
	Data Kind = iota + 1
	// Control frames carry messages of collectives and of termination detection; they are not counted.
	Control
)

// Header describes the payload of a frame. A transport reads Kind, To and Bytes; the runtime defines all other fields.
type Header struct {
	Kind   Kind
	Flags  uint8  // free for the runtime
	Target uint16 // target of the pebbles, by order of registration
	Epoch  uint32 // epoch of the frame
	From   uint32 // sending rank: a hop, not the origin of the pebbles
	To     uint32 // receiving rank: a hop, not the owner of the pebbles
	Count  uint32 // pebbles in the payload
	Bytes  uint32 // bytes of payload
	Check  uint32 // fingerprint of the target's type: a receiver refuses frames of a mismatched type
	Tag    uint32 // step of a collective
	Seq    uint64 // sequence number of a collective, 32 bits; the team that the frame is for, above them
}

// FrameBytesMax bounds the payload of one frame, in bytes.
const FrameBytesMax = 1 << 30

// Frame is one header and the memory of its payload. It has one owner at a time. The caller that got it from a [Pool]
// or from [Port.Recv] owns it until it calls [Port.Send] or [Frame.Release].
type Frame struct {
	Header
	in inside
	_  [8]byte
}

// inside is the part of a frame for its pool and the transports.
type inside struct {
	Memory  []byte // frame.HeaderRoom bytes, then the payload's capacity; starts on a cache line
	Pool    *Pool
	Next    *Frame   // link in the stack or queue that holds the frame
	Account *Account // counts the frame until its release; nil when no account does
	frame.Transit
}

// A frame takes at most two cache lines.
var _ [2*cpu.CacheLine - unsafe.Sizeof(Frame{})]byte

// Inside returns the part of a frame for the transports of this module.
func (f *Frame) Inside(frame.Access) *inside { return &f.in }

// Payload returns the pebbles of the frame: Bytes bytes, starting on a cache line.
func (f *Frame) Payload() []byte {
	return f.in.Memory[frame.HeaderRoom : frame.HeaderRoom+int(f.Bytes)]
}

// Space returns all memory that the payload may use.
func (f *Frame) Space() []byte { return f.in.Memory[frame.HeaderRoom:] }

// Base returns a pointer to the first byte of the payload.
func (f *Frame) Base() unsafe.Pointer { return unsafe.Pointer(&f.in.Memory[frame.HeaderRoom]) }

// Cost returns the bytes of the frame's memory, which [Pool.Lent] includes.
func (f *Frame) Cost() int64 { return int64(len(f.in.Memory)) }

// Charge adds the frame to an account. Its owner calls it once, before the frame is sent. The lending pool takes it off
// the account when it collects ([Pool.Lent]), on its owner's goroutine, so that the account stays in the owner's cache.
func (f *Frame) Charge(account *Account) {
	account.open.Add(1)
	f.in.Account = account
}

// ChargeWithin charges the frame if fewer than limit frames are in flight on the account, and reports whether it did.
func (f *Frame) ChargeWithin(account *Account, limit int64) bool {
	if account.open.Load() >= limit {
		return false
	}
	f.Charge(account)
	return true
}

// Release returns the frame to the pool that lent it. A data frame from another process returns to its sender once the
// release is acknowledged. Any goroutine may call Release, once. No one may touch the frame afterwards. A release costs
// one atomic exchange, and sometimes the wake-up of a goroutine.
func (f *Frame) Release() { f.in.Pool.keeper.Release(f.in.Pool, f) }

// Values returns n values of the plain-data type V at the start of a frame's payload. They share the frame's memory.
func Values[V any](f *Frame, n int) []V {
	return unsafe.Slice((*V)(unsafe.Pointer(&f.in.Memory[frame.HeaderRoom])), n)
}
