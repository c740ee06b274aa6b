package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// A request is a frame with operations of one rank for one process; its answer has their results, in the same order.
// Both travel on the data stream, so answers come in the order of a rank's requests. Numbers are little-endian.
//
//	of a request     key 8 │ bytes 4 │ kind 2 │ more 2 │ offset 8 │ operands
//	  operands       Put: its bytes, to a multiple of 8; Add, Swap: 8; CompareAndSwap: 8 │ 8
//	of an answer     fault 8 │ Get: its bytes, to a multiple of 8; Add, Swap, CompareAndSwap: 8
//
// Consecutive Gets, or Puts, of single words by one key are a series: the operations after the first, more of them,
// have no key, bytes and kind in the request, and no fault in the answer, unless the fault of the series is faultEach.
// In this file a series is one operation, so that a word costs little.
const (
	seriesBytes    = 16 // once per series
	operationBytes = seriesBytes + 8
	resultBytes    = 8

	faultEach = ^uint64(0) // each operation of the series has its own fault before its result

	requestBytesMax = 64 << 10 // of a request, and of its answer
	pieceBytesMax   = 32 << 10 // of a Get or Put; longer ones are split
	windowBytes     = 1 << 20  // of requests and answers that a rank has in flight to a process
)

// requestRoom and answerRoom return the bytes of an operation in a request, and of its result in an answer.
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

// words rounds bytes up to whole words.
func words(bytes int) int { return (bytes + 7) &^ 7 }

// remote holds one rank's operations on memory that it reaches only over TCP. It is for the rank's goroutine.
type remote struct {
	t       *Transport
	rank    int
	open    int
	flows   []*flow // by process; nil before the first operation
	waiting []*flow // flows with operations that have not left
	pool    *netio.Pool
	endings uint32 // endings of peers that were handled
}

func (r *remote) flow(process uint32) *flow {
	if r.flows == nil {
		r.flows = make([]*flow, r.t.place.Processes)
		r.pool = netio.NewPool(nil)
		r.t.remotes.Store(true)
	}
	f := r.flows[process]
	if f == nil {
		f = &flow{peer: r.t.peer(int(process))}
		r.flows[process] = f
	}
	return f
}

// Start implements [local.Far]. Single words travel in series, and long transfers in pieces.
func (r *remote) Start(op local.Operation) {
	switch {
	case op.Kind != local.Get && op.Kind != local.Put:
		r.startOne(op)
	case len(op.Data) == exposed.WordBytes:
		word := exposed.Word{Offset: op.Offset, Data: (*[exposed.WordBytes]byte)(op.Data)}
		r.MoveWords(op.Kind, op.Address, []exposed.Word{word}, op.Completion)
	default:
		r.startPieces(op)
	}
}

func (r *remote) startOne(op local.Operation) {
	f := r.flow(op.Process)
	r.begin(f, op.Completion, 1, f.push(operation{Operation: op}))
}

func (r *remote) startPieces(op local.Operation) {
	for rest := op.Data; ; op.Offset += uint64(len(op.Data)) {
		op.Data = rest[:min(len(rest), r.piece(op.Address, len(rest)))]
		r.startOne(op)
		if rest = rest[len(op.Data):]; len(rest) == 0 {
			return
		}
	}
}

// MoveWords implements [local.Far].
func (r *remote) MoveWords(k local.Kind, a netio.Address, words []exposed.Word, c *netio.Completion) {
	f := r.flow(a.Process)
	for len(words) > 0 {
		n, room := f.pushWords(k, a, words, c)
		r.begin(f, c, n, room)
		words = words[n:]
	}
}

// piece returns the length of the next piece of a transfer. All but the last end with a word, so that no word is torn.
func (r *remote) piece(a netio.Address, rest int) int {
	return min(rest, pieceBytesMax-int(a.Offset%exposed.WordBytes))
}

// begin counts operations that take the given room.
func (r *remote) begin(f *flow, c *netio.Completion, n, room int) {
	c.Inside(access).Begin(n)
	r.open += n
	r.list(f)
	if f.next += room; f.next >= requestBytesMax {
		r.sendRequests(f)
	}
}

// list lists a flow with operations to send.
func (r *remote) list(f *flow) {
	if !f.waiting {
		f.waiting = true
		r.waiting = append(r.waiting, f)
	}
}

// Fence implements [local.Far]. An operation is visible once it has been answered.
func (r *remote) Fence(c *netio.Completion) {
	for _, f := range r.flows {
		if f != nil && f.ops.head != f.ops.tail {
			c.Inside(access).Begin(1)
			r.open++
			f.push(operation{Operation: local.Operation{Kind: local.Fence, Completion: c}})
			r.list(f)
		}
	}
}

// Open implements [local.Far].
func (r *remote) Open() int { return r.open }

// flush sends requests while the window has room, and reports whether an operation has ended. It costs one load if none
// is open.
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
	for _, f := range all { // a flow that is listed again replaces one that was visited
		f.waiting = false
		r.sendRequests(f)
	}
	return r.open < open
}

// sendRequests sends requests while operations wait and the window has room.
func (r *remote) sendRequests(f *flow) {
	f.next = 0
	if f.peer.unreachable() {
		r.abandon(f)
		return
	}
	for f.left != f.ops.tail && f.window < windowBytes {
		r.request(f)
	}
	r.endFences(f)
	if f.left != f.ops.tail {
		r.list(f)
	}
}

// request sends one request. Fences stay here.
func (r *remote) request(f *flow) {
	for f.left != f.ops.tail && f.ops.at(f.left).Kind == local.Fence {
		f.left++
	}
	from, bytes, answer, count := f.left, 0, 0, 0
	for ; f.left != f.ops.tail; f.left++ {
		op := f.ops.at(f.left)
		if op.Kind == local.Fence {
			continue
		}
		more, result := op.room()
		if count > 0 && (bytes+more > requestBytesMax || answer+result > requestBytesMax) {
			break
		}
		bytes, answer, count = bytes+more, answer+result, count+op.count()
	}
	if count == 0 {
		return
	}
	q := r.pool.Get(bytes)
	q.Kind, q.From, q.To, q.Seq = request, uint32(r.rank), uint32(f.peer.place.First), from
	q.Count, q.Bytes = uint32(count), uint32(bytes)
	f.encode(q.Payload(), from)
	f.window += bytes + answer
	f.peer.streams[dataStream].send(q)
}

var errAnswer = errors.New("invalid answer")

// answered handles an answer. The caller keeps the frame.
func (r *remote) answered(a *netio.Frame) {
	p := r.t.peer(r.t.place.ProcessOf(int(a.From)))
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
	if a.Seq != f.ops.head {
		return errAnswer
	}
	for left := int(a.Count); left > 0; {
		r.endFences(f)
		if f.ops.head == f.left {
			return errAnswer
		}
		op := *f.ops.oldest()
		room, answered := op.room()
		if left -= op.count(); left < 0 {
			return errAnswer
		}
		var ok bool
		if op.words > 0 {
			b, ok = r.endSeries(f, b)
		} else {
			b, ok = r.endAlone(f, b)
		}
		if !ok {
			return errAnswer
		}
		f.window -= room + answered
	}
	if len(b) > 0 {
		return errAnswer
	}
	r.sendRequests(f)
	return nil
}

// endAlone handles the result of the oldest operation, which is no series.
func (r *remote) endAlone(f *flow, b []byte) (rest []byte, ok bool) {
	op := f.ops.oldest()
	n, b, ok := number(b)
	bytes := answerRoom(op.Kind, op.Bytes()) - resultBytes
	fault, good := exposed.FaultOf(n)
	if !ok || !good || len(b) < bytes {
		return nil, false
	}
	if fault != exposed.None {
		r.endOldest(f, op.Error(r.rank, fault))
	} else {
		use(&op.Operation, b[:bytes])
		r.endOldest(f, nil)
	}
	return b[bytes:], true
}

// endSeries handles the results of the oldest operation, which is a series: all of them, or none.
func (r *remote) endSeries(f *flow, b []byte) (rest []byte, ok bool) {
	op := *f.ops.oldest()
	n, b, ok := number(b)
	fault, good := exposed.FaultOf(n)
	each := answerRoom(op.Kind, exposed.WordBytes) - resultBytes
	if n == faultEach {
		each += resultBytes
		good = true
	}
	if !ok || !good || len(b) < op.words*each {
		return nil, false
	}
	b, rest = b[:op.words*each], b[op.words*each:]
	if n == faultEach && !goodFaults(b, each) {
		return nil, false
	}
	f.ops.pop()
	r.open -= op.words
	if fault == exposed.None && n != faultEach {
		f.endWords(op.words, b)
		return rest, true
	}
	for ; op.words > 0; op.words-- {
		w, one := f.words.pop(), b[:each]
		b = b[each:]
		if n == faultEach {
			fault, _ = exposed.FaultOf(binary.LittleEndian.Uint64(one))
			one = one[resultBytes:]
		}
		switch {
		case fault != exposed.None:
			alone := op.alone(w)
			w.c.Inside(access).End(1, alone.Error(r.rank, fault))
			continue
		case op.Kind == local.Get:
			*w.Data = [exposed.WordBytes]byte(one)
		}
		w.c.Inside(access).End(1, nil)
	}
	return rest, true
}

// goodFaults reports whether each result begins with a fault.
func goodFaults(b []byte, each int) bool {
	for ; len(b) > 0; b = b[each:] {
		if _, ok := exposed.FaultOf(binary.LittleEndian.Uint64(b)); !ok {
			return false
		}
	}
	return true
}

// number reads a number.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	if len(b) < resultBytes {
		return 0, nil, false
	}
	return binary.LittleEndian.Uint64(b), b[resultBytes:], true
}

// use stores a result for its operation.
func use(op *local.Operation, result []byte) {
	switch {
	case op.Kind == local.Get:
		copy(op.Data, result)
	case op.Kind != local.Put && op.Old != nil:
		*op.Old = binary.LittleEndian.Uint64(result)
	}
}

// endOldest ends the oldest operation of a flow, which is no series.
func (r *remote) endOldest(f *flow, err error) {
	op := f.ops.pop()
	r.open--
	op.Completion.Inside(access).End(1, err)
}

// endFences ends the fences without earlier operations.
func (r *remote) endFences(f *flow) {
	for f.ops.head != f.left && f.ops.oldest().Kind == local.Fence {
		r.endOldest(f, nil)
	}
}

// abandon ends the operations that will not be answered.
func (r *remote) abandon(f *flow) {
	cause := local.ErrEnded
	if !r.t.down.Load() {
		cause = local.Lost(r.t.place, f.peer.place.Process)
	}
	f.left, f.unsent, f.window = f.ops.tail, f.words.tail, 0
	for f.ops.head != f.ops.tail {
		if op := *f.ops.oldest(); op.words > 0 {
			f.ops.pop()
			r.open -= op.words
			for range op.words {
				w := f.words.pop()
				alone := op.alone(w)
				w.c.Inside(access).End(1, alone.Error(r.rank, cause))
			}
		} else if op.Kind == local.Fence {
			r.endOldest(f, nil)
		} else {
			r.endOldest(f, op.Error(r.rank, cause))
		}
	}
}
