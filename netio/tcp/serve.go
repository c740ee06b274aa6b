package tcp

import (
	"encoding/binary"
	"errors"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// server answers the requests of a peer. Whoever reads the data lane does, a rank or the poller, one at a time: so the ranks whose memory
// it is need not attend.
type server struct {
	t       *Transport
	number  int // of the user
	user    exposed.User
	ready   bool
	answers *netio.Pool // the reader's own
}

var errRequest = errors.New("a request makes no sense")

// serve does the operations of a request, and returns the answer.
func (s *server) serve(q *netio.Frame) (*netio.Frame, error) {
	room, err := roomFor(q)
	if err != nil {
		return nil, err
	}
	if !s.ready {
		own, err := s.t.space.Own()
		if err != nil {
			return nil, err
		}
		s.user, s.ready = own.User(s.number), true
	}
	own := s.t.space.Near(s.t.place.Process)
	a := s.answers.Get(room)
	a.Kind, a.From, a.To, a.Count, a.Bytes, a.Seq = answer, q.To, q.From, q.Count, uint32(room), q.Seq
	b, into := q.Payload(), a.Payload()
	for range q.Count {
		op, rest, _ := decodeOperation(b)
		into = s.do(own, &op, into)
		b = rest
	}
	return a, nil
}

// roomFor checks a request, and says how much room its answer takes.
func roomFor(q *netio.Frame) (room int, err error) {
	b := q.Payload()
	for range q.Count {
		op, rest, ok := decodeOperation(b)
		if !ok {
			return 0, errRequest
		}
		room += answerRoom(op.kind, op.bytes)
		b = rest
	}
	if len(b) > 0 || room > requestBytesMax+pieceBytesMax {
		return 0, errRequest
	}
	return room, nil
}

// asked is an operation as it has come.
type asked struct {
	kind     local.Kind
	place    exposed.Place
	bytes    int
	operands []byte
}

func decodeOperation(b []byte) (op asked, rest []byte, ok bool) {
	if len(b) < operationBytes {
		return op, nil, false
	}
	op.place = exposed.Place{Key: binary.LittleEndian.Uint64(b), Offset: binary.LittleEndian.Uint64(b[8:])}
	op.bytes = int(binary.LittleEndian.Uint32(b[16:]))
	op.kind, ok = local.KindOf(binary.LittleEndian.Uint32(b[20:]))
	if !ok || op.bytes > pieceBytesMax {
		return op, nil, false
	}
	room := requestRoom(op.kind, op.bytes)
	if len(b) < room {
		return op, nil, false
	}
	op.operands = b[operationBytes:room]
	return op, b[room:], true
}

// do does an operation, and writes its result.
func (s *server) do(own *exposed.Segment, op *asked, into []byte) (rest []byte) {
	result := into[resultBytes:answerRoom(op.kind, op.bytes)]
	var old uint64
	var fault exposed.Fault
	switch op.kind {
	case local.Get:
		clear(result[op.bytes:])
		fault = s.user.Get(own, op.place, result[:op.bytes])
	case local.Put:
		fault = s.user.Put(own, op.place, op.operands[:op.bytes])
	case local.Add:
		old, fault = s.user.Add(own, op.place, binary.LittleEndian.Uint64(op.operands))
	case local.Swap:
		old, fault = s.user.Swap(own, op.place, binary.LittleEndian.Uint64(op.operands))
	case local.CompareAndSwap:
		old, fault = s.user.CompareAndSwap(own, op.place, binary.LittleEndian.Uint64(op.operands), binary.LittleEndian.Uint64(op.operands[8:]))
	}
	switch {
	case fault != exposed.None:
		clear(result) // of what was there before
	case op.kind > local.Put:
		binary.LittleEndian.PutUint64(result, old)
	}
	binary.LittleEndian.PutUint64(into, uint64(fault))
	return into[resultBytes+len(result):]
}
