package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// A request is a frame with operations of one rank for one process, and an answer has their results, in the same order.
// Both travel on the data stream, so answers to the requests of a rank come in the order of these. Numbers are
// little-endian.
//
//	of a request     key 8 │ bytes 4 │ kind 2 │ more 2 │ offset 8 │ operands
//	  operands       Put: its bytes, to a multiple of 8; Add, Swap: 8; CompareAndSwap: 8 │ 8
//	of an answer     fault 8 │ Get: its bytes, to a multiple of 8; Add, Swap, CompareAndSwap: 8
//
// Gets, or Puts, of single words by one key that follow each other are a series: as many as more says have no key,
// bytes and kind of their own in the request, and no fault in the answer, unless that of the series is faultEach.
const (
	seriesBytes    = 16 // which a series has once
	operationBytes = seriesBytes + 8
	resultBytes    = 8

	faultEach = ^uint64(0) // each operation of the series has a fault of its own ahead of its result

	requestBytesMax = 64 << 10 // of a request, and of the answer to it
	pieceBytesMax   = 32 << 10 // of a Get or Put; longer ones are taken apart
	windowBytes     = 1 << 20  // of requests and answers that a rank has in flight to a process
)

// requestRoom and answerRoom are what an operation takes in a request, and its result in an answer.
func requestRoom(k local.Kind, bytes int) int {
	switch k {
	case local.Put:
		return operationBytes + words(bytes)
	case local.Add, local.Swap:
		return operationBytes + 8
	case local.CompareAndSwap:
		return operationBytes + 16
	}
	return operationBytes
}

func answerRoom(k local.Kind, bytes int) int {
	switch k {
	case local.Get:
		return resultBytes + words(bytes)
	case local.Put:
		return resultBytes
	}
	return resultBytes + 8
}

// series is what operations have in common that travel as one. The zero value is that of an operation alone.
type series struct {
	key  uint64
	kind local.Kind
}

func seriesOf(k local.Kind, key uint64, bytes int) (s series) {
	if bytes == exposed.WordBytes && (k == local.Get || k == local.Put) {
		s = series{key, k}
	}
	return s
}

// goesOn reports whether an operation belongs to the same series as the one before.
func (s series) goesOn(before series) bool { return s == before && s != series{} }

// words is so many bytes, rounded up to whole words.
func words(bytes int) int { return (bytes + 7) &^ 7 }

// remote is one rank's operations on memory that it reaches over TCP alone. It is for the rank's goroutine.
type remote struct {
	t       *Transport
	rank    int
	open    int
	flows   []*flow // by process; nil before the first operation
	waiting []*flow // those with operations that have not left
	pool    *netio.Pool
	endings uint32 // of peers, that were attended to
}

// flow is one rank's operations on the memory of one process, the oldest first.
//
//	answered ◄── head ──── sent ────► left ──── to leave ────► tail
type flow struct {
	peer    *peer
	ops     []local.Operation // a ring; its length is a power of two, or 0
	head    uint64
	left    uint64
	tail    uint64
	window  int  // bytes of requests and answers in flight
	next    int  // bytes of the operations that are to leave, at most a request's
	waiting bool // it is listed
}

// roomOf is what an operation takes in a request and in the answer to it, at most, after one of a series.
func roomOf(op *local.Operation, before series) (room, result int, s series) {
	s = seriesOf(op.Kind, op.Key, op.Bytes())
	room, result = requestRoom(op.Kind, op.Bytes()), answerRoom(op.Kind, op.Bytes())
	if s.goesOn(before) {
		room -= seriesBytes
	}
	return room, result, s
}

func (f *flow) at(n uint64) *local.Operation { return &f.ops[n&uint64(len(f.ops)-1)] }

func (f *flow) push(op local.Operation) {
	if f.tail-f.head == uint64(len(f.ops)) {
		larger := make([]local.Operation, max(64, 2*len(f.ops)))
		for n := f.head; n != f.tail; n++ {
			larger[n&uint64(len(larger)-1)] = *f.at(n)
		}
		f.ops = larger
	}
	*f.at(f.tail) = op
	f.tail++
}

func (r *remote) flow(process uint32) *flow {
	if r.flows == nil {
		r.flows = make([]*flow, len(r.t.peers))
		r.pool = netio.NewPool(nil)
		r.t.remotes.Store(true)
	}
	f := r.flows[process]
	if f == nil {
		f = &flow{peer: r.t.peers[process]}
		r.flows[process] = f
	}
	return f
}

// Start implements [local.Far].
func (r *remote) Start(op local.Operation) {
	f := r.flow(op.Process)
	if op.Kind != local.Get && op.Kind != local.Put || len(op.Data) <= pieceBytesMax {
		r.start(f, op)
		return
	}
	for rest := op.Data; len(rest) > 0; rest = rest[len(op.Data):] {
		op.Data = rest[:r.piece(op.Address, len(rest))]
		r.start(f, op)
		op.Offset += uint64(len(op.Data))
	}
}

// piece is the length of the next piece of a transfer. All but the last end with a word, so that none is torn.
func (r *remote) piece(a netio.Address, rest int) int {
	return min(rest, pieceBytesMax-int(a.Offset%exposed.WordBytes))
}

func (r *remote) start(f *flow, op local.Operation) {
	op.Completion.Inside(access).Begin()
	r.open++
	f.push(op)
	r.list(f)
	f.next += requestRoom(op.Kind, op.Bytes()) + answerRoom(op.Kind, op.Bytes())
	if f.next >= requestBytesMax {
		r.sendRequests(f)
	}
}

// list lists a flow that has something to leave.
func (r *remote) list(f *flow) {
	if !f.waiting {
		f.waiting = true
		r.waiting = append(r.waiting, f)
	}
}

// Fence implements [local.Far]: each operation is visible when it has been answered.
func (r *remote) Fence(c *netio.Completion) {
	for _, f := range r.flows {
		if f != nil && f.head != f.tail {
			c.Inside(access).Begin()
			r.open++
			f.push(local.Operation{Kind: local.Fence, Completion: c})
			r.list(f)
		}
	}
}

// Open implements [local.Far].
func (r *remote) Open() int { return r.open }

// flush lets leave what may, and reports whether something has ended. It costs one load when nothing is open.
func (r *remote) flush() (ended bool) {
	if r.open == 0 {
		return false
	}
	open := r.open
	if endings := r.t.endings.Load(); endings != r.endings {
		r.endings = endings
		for _, f := range r.flows {
			if f != nil && f.peer.unreachable() {
				r.abandon(f)
			}
		}
	}
	all := r.waiting
	r.waiting = r.waiting[:0]
	for _, f := range all { // a flow that is listed again takes the place of one that was seen
		f.waiting = false
		r.sendRequests(f)
	}
	return r.open < open
}

// sendRequests sends requests for as long as there is something to sendRequests and room.
func (r *remote) sendRequests(f *flow) {
	f.next = 0
	if f.peer.unreachable() {
		r.abandon(f)
		return
	}
	for f.left != f.tail && f.window < windowBytes {
		r.request(f)
	}
	r.endFences(f)
	if f.left != f.tail {
		r.list(f)
	}
}

// request sends one request. Fences stay here.
func (r *remote) request(f *flow) {
	for f.left != f.tail && f.at(f.left).Kind == local.Fence {
		f.left++
	}
	from, bytes, answer, count := f.left, 0, 0, uint32(0)
	var last series
	for ; f.left != f.tail; f.left++ {
		op := f.at(f.left)
		if op.Kind == local.Fence {
			continue
		}
		more, result, s := roomOf(op, last)
		if count > 0 && (bytes+more > requestBytesMax || answer+result > requestBytesMax) {
			break
		}
		bytes, answer, count, last = bytes+more, answer+result, count+1, s
	}
	if count == 0 {
		return
	}
	q := r.pool.Get(bytes)
	q.Kind, q.From, q.To, q.Seq = request, uint32(r.rank), uint32(f.peer.place.First), from
	q.Count, q.Bytes = count, uint32(bytes)
	f.encode(q.Payload(), from)
	f.window += bytes + answer
	f.peer.streams[dataStream].send(q)
}

// encode writes the operations of a request, from one on until those that are to leave.
func (f *flow) encode(b []byte, from uint64) {
	var last series
	var head []byte // of the series
	for ; from != f.left; from++ {
		op := f.at(from)
		if op.Kind == local.Fence {
			continue
		}
		s := seriesOf(op.Kind, op.Key, op.Bytes())
		if s.goesOn(last) {
			binary.LittleEndian.PutUint16(head[14:], binary.LittleEndian.Uint16(head[14:])+1)
		} else {
			head, b = b, encodeSeries(b, op)
		}
		b, last = encodeOperation(b, op), s
	}
}

func encodeSeries(b []byte, op *local.Operation) (rest []byte) {
	binary.LittleEndian.PutUint64(b, op.Key)
	binary.LittleEndian.PutUint32(b[8:], uint32(op.Bytes()))
	binary.LittleEndian.PutUint32(b[12:], uint32(op.Kind)) // and no more
	return b[seriesBytes:]
}

func encodeOperation(b []byte, op *local.Operation) (rest []byte) {
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

var errAnswer = errors.New("an answer makes no sense")

// answered takes an answer in. The frame stays the caller's.
func (r *remote) answered(a *netio.Frame) {
	p := r.t.peers[r.t.place.ProcessOf(int(a.From))]
	if r.t.down.Load() {
		return
	}
	if err := r.handleAnswer(p, a); err != nil {
		p.lose(fmt.Errorf("check answer: %w: %w", netio.ErrDamaged, err))
	}
}

func (r *remote) handleAnswer(p *peer, a *netio.Frame) error {
	if r.flows == nil || r.flows[p.place.Process] == nil {
		return errAnswer
	}
	f, b := r.flows[p.place.Process], a.Payload()
	r.endFences(f)
	if a.Seq != f.head {
		return errAnswer
	}
	var results resultsOf
	for range a.Count {
		r.endFences(f)
		if f.head == f.left {
			return errAnswer
		}
		op := f.at(f.head)
		room, answered, s := roomOf(op, results.series)
		result, rest, fault, ok := results.next(b, s, answered-resultBytes)
		if !ok {
			return errAnswer
		}
		var cause error
		if fault != exposed.None {
			cause = op.Error(r.rank, fault)
		} else {
			use(op, result)
		}
		b = rest
		f.window -= room + answered
		r.endOldest(f, cause)
	}
	if len(b) > 0 {
		return errAnswer
	}
	r.sendRequests(f)
	return nil
}

// resultsOf reads the results of a series.
type resultsOf struct {
	series
	fault uint64 // of all, or faultEach
}

// next reads the result of the next operation, of so many bytes.
func (r *resultsOf) next(b []byte, s series, bytes int) (result, rest []byte, fault exposed.Fault, ok bool) {
	begins := !s.goesOn(r.series)
	r.series = s
	n := r.fault
	if begins {
		if len(b) < resultBytes {
			return nil, nil, 0, false
		}
		n, b = binary.LittleEndian.Uint64(b), b[resultBytes:]
		r.fault = n
	}
	if n == faultEach && s != (series{}) {
		if len(b) < resultBytes {
			return nil, nil, 0, false
		}
		n, b = binary.LittleEndian.Uint64(b), b[resultBytes:]
	}
	if fault, ok = exposed.FaultOf(n); !ok || len(b) < bytes {
		return nil, nil, 0, false
	}
	return b[:bytes], b[bytes:], fault, true
}

// use gives a result to who has asked.
func use(op *local.Operation, result []byte) {
	switch {
	case op.Kind == local.Get:
		copy(op.Data, result)
	case op.Kind != local.Put && op.Old != nil:
		*op.Old = binary.LittleEndian.Uint64(result)
	}
}

// endOldest ends the oldest operation of a flow.
func (r *remote) endOldest(f *flow, err error) {
	op := f.at(f.head)
	c := op.Completion
	*op = local.Operation{} // which may hold memory
	f.head++
	r.open--
	c.Inside(access).End(err)
}

// endFences ends the fences that nothing is before.
func (r *remote) endFences(f *flow) {
	for f.head != f.left && f.at(f.head).Kind == local.Fence {
		r.endOldest(f, nil)
	}
}

// abandon ends what will be answered no more.
func (r *remote) abandon(f *flow) {
	cause := local.ErrEnded
	if !r.t.down.Load() {
		cause = local.Lost(r.t.place, f.peer.place.Process)
	}
	for f.left = f.tail; f.head != f.tail; {
		var err error
		if op := f.at(f.head); op.Kind != local.Fence {
			err = op.Error(r.rank, cause)
		}
		r.endOldest(f, err)
	}
	f.window = 0
}
