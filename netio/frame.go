package netio

import (
	"unsafe"
)

// Kind says which part of the runtime a frame is for.
type Kind uint8

const (
	// Data frames carry pebbles; termination detection counts them.
	Data Kind = iota + 1
	// Control frames carry messages of collectives and of termination detection; they are not counted.
	Control
)

// Header describes the payload of a frame. Its meaning belongs to the runtime; a transport reads Kind, To and Bytes,
// and carries the rest.
type Header struct {
	Kind   Kind
	Flags  uint8  // free for the runtime
	Target uint16 // the target that the pebbles are for, by order of registration
	Epoch  uint32 // the epoch that the frame belongs to
	From   uint32 // the rank that sent the frame: a hop, not the origin of its pebbles
	To     uint32 // the rank that the frame is for: a hop, not the owner of its pebbles
	Count  uint32 // pebbles in the payload
	Bytes  uint32 // bytes of payload
	Check  uint32 // fingerprint of the target's type: frames of a mismatched type are refused
	Tag    uint32 // step of a collective
	Seq    uint64 // sequence number of a collective
}

// headerBytes is the size of a header on the wire. headerRoom is what a frame keeps free ahead of its payload, so that
// header and payload leave in one piece and the payload lies on a cache line.
const (
	headerBytes = 52
	headerRoom  = 64
)

// FrameBytesMax bounds the payload of one frame, in bytes.
const FrameBytesMax = 1 << 30

// Frame is one header and the memory of its payload. It has one owner at a time: whoever got it from a [Pool] or from
// [Port.Recv], until it is handed to [Port.Send] or [Frame.Release].
type Frame struct {
	Header
	mem  []byte // headerRoom bytes, then the payload's capacity; starts on a cache line
	pool *Pool
	next *Frame   // link of the stack or list that the frame is in
	open *Account // counts the frame until it is released; nil when nobody does

	ticket  ticket // of a data frame on its way to another process
	receipt ticket // of a data frame that came from another process: what it travelled with
	sender  uint32 // the rank that it came from, when that was through a slot
	stale   bool   // another process may still be reading its memory, which is not to be used again

	_ [8]byte
}

// A frame takes whole cache lines, so that those of two ranks don't share one.
var _ [2*cacheLine - unsafe.Sizeof(Frame{})]byte

// Payload is the part of the frame that holds pebbles: Bytes bytes, starting on a cache line.
func (f *Frame) Payload() []byte { return f.mem[headerRoom : headerRoom+int(f.Bytes)] }

// Space is all of the memory that the payload may use.
func (f *Frame) Space() []byte { return f.mem[headerRoom:] }

// Base points at the first byte of the payload.
func (f *Frame) Base() unsafe.Pointer { return unsafe.Pointer(&f.mem[headerRoom]) }

// Cost is what the frame adds to [Pool.Lent]: the bytes of its memory.
func (f *Frame) Cost() int64 { return int64(len(f.mem)) }

// Charge adds the frame to an account of frames that were charged and have not come back. The pool that lent the frame
// takes it off again when it collects what has come back ([Pool.Lent]), on its owner's goroutine, so that the account stays
// in that one's cache. The frame's owner calls it before the frame is sent, once.
func (f *Frame) Charge(account *Account) {
	account.open.Add(1)
	f.open = account
}

// Release says that its caller is done with the frame, and gives it back to the pool that lent it; a data frame from
// another process comes back there, to its sender, when that has been told. Any goroutine may call it, once; the frame
// must not be touched afterwards. It costs one atomic exchange, and now and then the wake-up of a goroutine.
func (f *Frame) Release() { f.pool.giveBack(f) }

const cacheLine = 64

// alignedBytes allocates n bytes that start on a cache line.
func alignedBytes(n int) []byte {
	raw := make([]byte, n+cacheLine-1)
	skip := int(-uintptr(unsafe.Pointer(&raw[0])) & (cacheLine - 1))
	return raw[skip : skip+n : skip+n]
}
