package tcp

import (
	"encoding/binary"
	"errors"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// server answers the requests of a peer. The goroutine that reads the data stream, a rank or the poller, calls it, one
// at a time, so the ranks that own the memory need not attend.
type server struct {
	t       *Transport
	number  int // of the user
	user    exposed.User
	ready   bool
	answers *netio.Pool // the reader's own
}

var errRequest = errors.New("invalid request")

// serve performs the operations of a request, and returns the answer.
func (s *server) serve(q *netio.Frame) (*netio.Frame, error) {
	room, err := roomFor(q)
	if err != nil {
		return nil, err
	}
	own := s.t.space.Near(s.t.place.Process) // nil before the first exposure: every key is unknown
	if own != nil && !s.ready {
		s.user, s.ready = own.User(s.number), true
	}
	a := s.answers.Get(room)
	a.Kind, a.From, a.To, a.Count, a.Bytes, a.Seq = answer, q.To, q.From, q.Count, uint32(room), q.Seq
	into := a.Payload()
	for b := q.Payload(); len(b) > 0; {
		op, rest, _ := decodeOperation(b)
		into, b = s.do(own, &op, into), rest
	}
	a.Bytes -= uint32(len(into)) // a series without faults takes less
	return a, nil
}

// roomFor checks a request, and returns the maximum size of its answer.
func roomFor(q *netio.Frame) (room int, err error) {
	b, count := q.Payload(), uint32(0)
	for len(b) > 0 {
		op, rest, ok := decodeOperation(b)
		if !ok {
			return 0, errRequest
		}
		room += op.count() * answerRoom(op.kind, op.bytes)
		if op.count() > 1 {
			room += resultBytes
		}
		count += uint32(op.count())
		b = rest
	}
	if count != q.Count || room > requestBytesMax+pieceBytesMax {
		return 0, errRequest
	}
	return room, nil
}

// asked is an operation of a request, or a series.
type asked struct {
	kind   local.Kind
	key    uint64
	bytes  int
	more   int    // operations of a series after the first
	places []byte // offset and operands of each operation
}

func (op *asked) count() int { return 1 + op.more }

// each returns the bytes of each operation in places.
func (op *asked) each() int { return requestRoom(op.kind, op.bytes) - seriesBytes }

// operation returns the first of places as an operation. A Get reads into result, whose end it clears.
func (op *asked) operation(result []byte) local.Operation {
	one := local.Operation{Kind: op.kind}
	one.Key, one.Offset = op.key, binary.LittleEndian.Uint64(op.places)
	operands := op.places[8:]
	switch op.kind {
	case local.Get:
		clear(result[op.bytes:])
		one.Data = result[:op.bytes]
	case local.Put:
		one.Data = operands[:op.bytes]
	case local.CompareAndSwap:
		one.Expect, one.With = binary.LittleEndian.Uint64(operands), binary.LittleEndian.Uint64(operands[8:])
	default:
		one.With = binary.LittleEndian.Uint64(operands)
	}
	return one
}

func decodeOperation(b []byte) (op asked, rest []byte, ok bool) {
	if len(b) < operationBytes {
		return op, nil, false
	}
	op.key = binary.LittleEndian.Uint64(b)
	op.bytes, op.more = int(binary.LittleEndian.Uint32(b[8:])), int(binary.LittleEndian.Uint16(b[14:]))
	op.kind, ok = local.KindOf(uint32(binary.LittleEndian.Uint16(b[12:])))
	words := op.bytes == exposed.WordBytes && (op.kind == local.Get || op.kind == local.Put)
	if !ok || op.bytes > pieceBytesMax || op.more > 0 && !words {
		return op, nil, false
	}
	room := seriesBytes + op.count()*op.each()
	if len(b) < room {
		return op, nil, false
	}
	op.places = b[seriesBytes:room]
	return op, b[room:], true
}

// do performs an operation or a series, and writes its results.
func (s *server) do(own *exposed.Segment, op *asked, into []byte) (rest []byte) {
	if op.more == 0 {
		return s.doOne(own, op, into)
	}
	results := into[resultBytes:]
	var fault exposed.Fault
	if op.kind == local.Get {
		results = results[:op.count()*exposed.WordBytes]
		fault = s.user.GetWords(own, op.key, op.places, results)
	} else {
		results = nil
		fault = s.user.PutWords(own, op.key, op.places)
	}
	if fault == exposed.None {
		binary.LittleEndian.PutUint64(into, uint64(fault))
		return into[resultBytes+len(results):]
	}
	binary.LittleEndian.PutUint64(into, faultEach)
	into = into[resultBytes:]
	one := *op
	for places := op.places; len(places) > 0; places = places[op.each():] {
		one.places = places[:op.each()]
		into = s.doOne(own, &one, into)
	}
	return into
}

func (s *server) doOne(own *exposed.Segment, op *asked, into []byte) (rest []byte) {
	result := into[resultBytes:answerRoom(op.kind, op.bytes)]
	var old uint64
	one := op.operation(result)
	one.Old = &old
	fault := one.Perform(s.user, own)
	switch {
	case fault != exposed.None:
		clear(result) // the memory is used again
	case op.kind > local.Put:
		binary.LittleEndian.PutUint64(result, old)
	}
	binary.LittleEndian.PutUint64(into, uint64(fault))
	return into[resultBytes+len(result):]
}
