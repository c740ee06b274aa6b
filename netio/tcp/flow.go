package tcp

import (
	"encoding/binary"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// flow is one rank's operations on the memory of one process, the oldest first.
//
//	answered ◄── head ──── sent ────► left ──── to leave ────► tail
type flow struct {
	peer    *peer
	ops     ring[operation]
	words   ring[word] // of the series in ops
	left    uint64     // the first of ops that has not left
	unsent  uint64     // the first of words that has not left
	window  int        // bytes of requests and answers in flight
	next    int        // bytes of the operations to leave, at most a request's
	waiting bool       // listed in remote.waiting
}

// operation is one operation, or a series: words of one exposure that are read, or written, as one.
type operation struct {
	local.Operation     // for a series, the kind and the exposure
	words           int // of a series; 0 for a single operation
}

// word is a word of a series.
type word struct {
	exposed.Word
	c *netio.Completion
}

// wordsMax bounds a series, so that its answer fits even if each word has its own fault.
const wordsMax = requestBytesMax/(resultBytes+exposed.WordBytes) - 1

// wordRoom is the size that another word of a series takes in the request and the answer together, read or written.
const wordRoom = operationBytes - seriesBytes + resultBytes + exposed.WordBytes

// count returns the number of operations in a frame's count for this one.
func (op *operation) count() int { return max(1, op.words) }

// room returns the bytes that an operation takes in a request, and at most in the answer.
func (op *operation) room() (request, answer int) {
	if op.words == 0 {
		return requestRoom(op.Kind, op.Bytes()), answerRoom(op.Kind, op.Bytes())
	}
	request, answer = roomOfWord(op.Kind)
	return seriesBytes + op.words*request, resultBytes + op.words*answer
}

// roomOfWord returns the bytes that another word of a series takes.
func roomOfWord(k local.Kind) (request, answer int) {
	return requestRoom(k, exposed.WordBytes) - seriesBytes, answerRoom(k, exposed.WordBytes)
}

// alone returns a word of a series as an operation.
func (op *operation) alone(w word) local.Operation {
	one := op.Operation
	one.Offset, one.Data, one.Completion = w.Offset, w.Data[:], w.c
	return one
}

// push adds an operation, and returns the bytes that it takes.
func (f *flow) push(op operation) (room int) {
	f.ops.push(op)
	request, answer := op.room()
	return request + answer
}

// pushWords adds words to the last series, or to a new one. It returns the number of words that the series has taken,
// and the bytes that they take.
func (f *flow) pushWords(k local.Kind, a netio.Address, words []exposed.Word, c *netio.Completion) (n, room int) {
	if last := f.ops.tail - 1; f.ops.tail == f.left || !f.ops.at(last).takes(k, a) {
		a.Offset = 0
		f.ops.push(operation{Operation: local.Operation{Kind: k, Address: a}})
		room = seriesBytes + resultBytes
	}
	series := f.ops.at(f.ops.tail - 1)
	n = min(len(words), wordsMax-series.words)
	series.words += n
	f.words.reserve(n)
	for words = words[:n]; len(words) > 0; {
		all := f.words.run(f.words.tail, len(words))
		for i := range all {
			all[i] = word{words[i], c}
		}
		f.words.tail += uint64(len(all))
		words = words[len(all):]
	}
	return n, room + n*wordRoom
}

// endWords ends the oldest n words, which have no faults. b has the values of words that were read.
func (f *flow) endWords(n int, b []byte) {
	for n > 0 {
		all := f.words.run(f.words.head, n)
		c, done := all[0].c, 0
		for done < len(all) && all[done].c == c {
			if len(b) > 0 {
				*all[done].Data = [exposed.WordBytes]byte(b)
				b = b[exposed.WordBytes:]
			}
			done++
		}
		clear(all[:done]) // they may hold memory
		f.words.head += uint64(done)
		n -= done
		c.Inside(access).End(done, nil)
	}
}

// takes reports whether another word belongs to a series.
func (op *operation) takes(k local.Kind, a netio.Address) bool {
	return op.words > 0 && op.words < wordsMax && op.Kind == k && op.Key == a.Key
}

// encode writes the operations of a request, starting with from, up to left.
func (f *flow) encode(b []byte, from uint64) {
	for ; from != f.left; from++ {
		op := f.ops.at(from)
		switch {
		case op.Kind == local.Fence:
		case op.words > 0:
			b = encodeHead(b, op, exposed.WordBytes)
			b = f.encodeWords(b, op.words, op.Kind == local.Put)
		default:
			b = encodeOperands(encodeHead(b, op, op.Bytes()), &op.Operation)
		}
	}
}

// encodeWords writes the offsets of the next words, and, for a Put, the words.
func (f *flow) encodeWords(b []byte, n int, put bool) (rest []byte) {
	for n > 0 {
		all := f.words.run(f.unsent, n)
		for i := range all {
			binary.LittleEndian.PutUint64(b, all[i].Offset)
			if b = b[8:]; put {
				b = b[copy(b, all[i].Data[:]):]
			}
		}
		f.unsent += uint64(len(all))
		n -= len(all)
	}
	return b
}

// encodeHead writes the part of a series that is common to its operations.
func encodeHead(b []byte, op *operation, bytes int) (rest []byte) {
	binary.LittleEndian.PutUint64(b, op.Key)
	binary.LittleEndian.PutUint32(b[8:], uint32(bytes))
	binary.LittleEndian.PutUint16(b[12:], uint16(op.Kind))
	binary.LittleEndian.PutUint16(b[14:], uint16(op.count()-1))
	return b[seriesBytes:]
}

// encodeOperands writes the rest of a single operation.
func encodeOperands(b []byte, op *local.Operation) (rest []byte) {
	binary.LittleEndian.PutUint64(b, op.Offset)
	operands := b[8 : requestRoom(op.Kind, op.Bytes())-seriesBytes]
	switch op.Kind {
	case local.Put:
		clear(operands[copy(operands, op.Data):])
	case local.Add, local.Swap:
		binary.LittleEndian.PutUint64(operands, op.With)
	case local.CompareAndSwap:
		binary.LittleEndian.PutUint64(operands, op.Expect)
		binary.LittleEndian.PutUint64(operands[8:], op.With)
	}
	return b[8+len(operands):]
}

// ring is a queue. Its room is a power of two, or none.
type ring[T any] struct {
	all        []T
	head, tail uint64 // of the oldest, and after the youngest
}

func (r *ring[T]) at(n uint64) *T { return &r.all[n&uint64(len(r.all)-1)] }

// run returns the elements from one on that are adjacent in memory; most bounds their number.
func (r *ring[T]) run(from uint64, most int) []T {
	all := r.all[from&uint64(len(r.all)-1):]
	return all[:min(most, len(all))]
}

func (r *ring[T]) oldest() *T { return r.at(r.head) }

// reserve makes room for n more.
func (r *ring[T]) reserve(n int) {
	for r.tail-r.head+uint64(n) > uint64(len(r.all)) {
		r.grow()
	}
}

func (r *ring[T]) push(v T) {
	r.reserve(1)
	*r.at(r.tail) = v
	r.tail++
}

func (r *ring[T]) grow() {
	larger := ring[T]{make([]T, max(64, 2*len(r.all))), r.head, r.tail}
	for n := r.head; n != r.tail; n++ {
		*larger.at(n) = *r.at(n)
	}
	*r = larger
}

func (r *ring[T]) pop() (v T) {
	at := r.oldest()
	v, *at = *at, v // it may hold memory
	r.head++
	return v
}
