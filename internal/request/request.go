// Package request has the two pebbles of a question: the request, which goes to the owner of a key, and the reply,
// which goes back to the rank that has asked.
package request

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/codecs"
)

// Request is a question, and where its answer goes.
type Request[Q, T any] struct {
	Q    Q
	From T
}

// Reply is an answer on its way back.
type Reply[A, T any] struct {
	A  A
	To T
}

// Batch is room for questions and the answers to them, side by side, as functions that answer get them. It is used
// again. The zero value is empty.
type Batch[Q, A any] struct {
	qs []Q
	as []A
}

// Room is room for n of both, with what the batch before has left there.
func (b *Batch[Q, A]) Room(n int) (qs []Q, as []A) {
	if n > len(b.qs) {
		b.qs, b.as = make([]Q, n), make([]A, n)
	}
	return b.qs[:n], b.as[:n]
}

// Forget lets go of what the values of a batch of n point to.
func (b *Batch[Q, A]) Forget(n int) {
	clear(b.qs[:n])
	clear(b.as[:n])
}

// Address is where an answer goes: to a rank, one of its pending calls, and a place among the answers to that.
type Address uint64

const (
	callBits  = 24
	placeBits = 20

	// CallsMax is how many calls of a rank may be pending.
	CallsMax = 1<<callBits - 1
	// PlacesMax is how many answers one call may wait for.
	PlacesMax = 1 << placeBits
	// Nobody waits for an answer.
	Nobody = ^Address(0)
)

// NewAddress is that of the first place of a call.
func NewAddress(rank int, call uint32) Address {
	return Address(rank)<<(callBits+placeBits) | Address(call)<<placeBits
}

// Plus is the address of a place further on.
func (a Address) Plus(places int) Address { return a + Address(places) }

// Rank is the rank that has asked.
func (a Address) Rank() uint64 { return uint64(a >> (callBits + placeBits)) }

// Call is the number of its call.
func (a Address) Call() uint32 { return uint32(a>>placeBits) & CallsMax }

// Place is the place of the answer.
func (a Address) Place() uint64 { return uint64(a) & (PlacesMax - 1) }

// Ranks are the keys of replies: the ranks that have asked.
func Ranks[A any](replies []Reply[A, Address], keys []uint64) {
	for i := range replies {
		keys[i] = replies[i].To.Rank()
	}
}

// ErrStray is the error of an answer to no call.
var ErrStray = errors.New("there are answers that nobody waits for: pebbles were repeated, altered or misplaced")

// Codec is a codec of requests by one of questions.
func Codec[Q, T any](questions codecs.Value) codecs.Codec[Request[Q, T]] {
	type pebble = Request[Q, T]
	return codecs.Pebbles[pebble](codecs.Struct(reflect.TypeFor[pebble](), codecs.Tag[T](unsafe.Offsetof(pebble{}.From)),
		codecs.Field{Value: questions}))
}

// ReplyCodec is a codec of replies by one of answers.
func ReplyCodec[A, T any](answers codecs.Value) codecs.Codec[Reply[A, T]] {
	type pebble = Reply[A, T]
	return codecs.Pebbles[pebble](codecs.Struct(reflect.TypeFor[pebble](), codecs.Tag[T](unsafe.Offsetof(pebble{}.To)),
		codecs.Field{Value: answers}))
}
