// Package request has the two pebbles of a question: the request, which goes to the owner of a key, and the reply,
// which goes back to the asking rank.
package request

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/codecs"
)

// Request is a question with the address for its answer.
type Request[Q, T any] struct {
	Q    Q
	From T
}

// Reply is an answer on its way back.
type Reply[A, T any] struct {
	A  A
	To T
}

// Batch has room for questions and their answers, in separate slices for answer functions. It is reused. The zero value
// is empty.
type Batch[Q, A any] struct {
	qs []Q
	as []A
}

// Room returns room for n of both, with the contents of earlier batches.
func (b *Batch[Q, A]) Room(n int) (qs []Q, as []A) {
	if n > len(b.qs) {
		b.qs, b.as = make([]Q, n), make([]A, n)
	}
	return b.qs[:n], b.as[:n]
}

// Forget releases the memory that the values of a batch of n point to.
func (b *Batch[Q, A]) Forget(n int) {
	clear(b.qs[:n])
	clear(b.as[:n])
}

// Address is the destination of an answer: a rank, one of its pending calls, and a place among the answers to that.
type Address uint64

const (
	callBits  = 24
	placeBits = 20

	// CallsMax is the largest number of pending calls of a rank.
	CallsMax = 1<<callBits - 1
	// PlacesMax is the largest number of answers of one call.
	PlacesMax = 1 << placeBits
	// Nobody is the address of an answer that is not sent.
	Nobody = ^Address(0)
)

// NewAddress returns the address of the first place of a call.
func NewAddress(rank int, call uint32) Address {
	return Address(rank)<<(callBits+placeBits) | Address(call)<<placeBits
}

// Plus returns the address of a place further on.
func (a Address) Plus(places int) Address { return a + Address(places) }

// Rank returns the asking rank.
func (a Address) Rank() uint64 { return uint64(a >> (callBits + placeBits)) }

// Call returns the number of its call.
func (a Address) Call() uint32 { return uint32(a>>placeBits) & CallsMax }

// Place returns the place of the answer.
func (a Address) Place() uint64 { return uint64(a) & (PlacesMax - 1) }

// Ranks sets the keys of replies to the asking ranks.
func Ranks[A any](replies []Reply[A, Address], keys []uint64) {
	for i := range replies {
		keys[i] = replies[i].To.Rank()
	}
}

// ErrStray is the error of an answer to no call.
var ErrStray = errors.New("there are answers that no call waits for: pebbles were repeated, altered or misplaced")

// Codec makes a codec of requests from one of questions.
func Codec[Q, T any](questions codecs.Value) codecs.Codec[Request[Q, T]] {
	type pebble = Request[Q, T]
	return codecs.Pebbles[pebble](codecs.Struct(reflect.TypeFor[pebble](), codecs.Tag[T](unsafe.Offsetof(pebble{}.From)),
		codecs.Field{Value: questions}))
}

// ReplyCodec makes a codec of replies from one of answers.
func ReplyCodec[A, T any](answers codecs.Value) codecs.Codec[Reply[A, T]] {
	type pebble = Reply[A, T]
	return codecs.Pebbles[pebble](codecs.Struct(reflect.TypeFor[pebble](), codecs.Tag[T](unsafe.Offsetof(pebble{}.To)),
		codecs.Field{Value: answers}))
}
