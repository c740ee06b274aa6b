package ofi

import (
	"errors"
	"slices"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// far is one rank's access to exposed memory of other processes. Put and Get use the fabric, through slots, so that a
// late piece of an abandoned operation touches no memory of the rank. The owner's process does operations on words,
// over TCP. TCP also serves memory that could not be registered, and all memory if the fabric cuts words.
type far struct {
	p       *port
	rest    local.Far
	fences  pending.Fences[*netio.Completion] // of all operations; the rank's own, like all fields except done
	all     []*transfer                       // open transfers
	spare   []*transfer
	endings uint32
	done    []*transfer // guarded by the way's lock
	taken   []*transfer // finished transfers; the rank's own
}

// transfer is a Put or Get, or the fetch of a frame into unregistered memory.
type transfer struct {
	of      *far // nil for a fetch
	fetch   fetching
	op      local.Operation
	number  uint64 // of the fences
	place   int    // index in all
	peer    *peer
	lease   *lease // nil for a fetch
	at, key uint64
	next    int // sent bytes
	pieces  int // pieces in flight
	err     error
	over    bool // done
	dropped bool // abandoned by the rank; guarded by the way's lock
	passed  bool // passed to TCP; the rank's own
	rest    netio.Completion
}

// errElsewhere passes an operation to TCP.
var errElsewhere = errors.New("nothing is registered")

func (r *far) init(p *port) { r.p = p }

// Start implements [local.Far]. TCP does operations on words.
func (r *far) Start(op local.Operation) {
	w := r.p.w
	p := w.peers[op.Process]
	if op.Kind > local.Put || p == nil || w.cuts {
		r.rest.Start(op)
		return
	}
	op.Completion.Inside(access).Begin(1)
	t := r.transfer()
	t.op, t.peer, t.number, t.place = op, p, r.fences.Start(), len(r.all)
	r.all = append(r.all, t)
	w.mu.Lock()
	t.start()
	w.unlock()
}

// MoveWords implements [local.Far].
func (r *far) MoveWords(k local.Kind, a netio.Address, words []exposed.Word, c *netio.Completion) {
	if r.p.w.peers[a.Process] == nil || r.p.w.cuts {
		r.rest.MoveWords(k, a, words, c)
		return
	}
	local.StartWords(r, k, a, words, c)
}

func (r *far) transfer() *transfer {
	if last := len(r.spare) - 1; last >= 0 {
		t := r.spare[last]
		r.spare = r.spare[:last]
		return t
	}
	return &transfer{of: r}
}

// start starts a transfer. It is for the holder of the way's lock, like the following functions.
func (t *transfer) start() {
	p := t.peer
	switch s := p.leases[t.op.Key]; {
	case p.over.Load() || p.w.closed:
		t.finish(exposed.Lost)
	case s == nil:
		p.leases[t.op.Key] = &lease{waiting: []*transfer{t}}
		p.say(note{kind: ask, key: t.op.Key})
	case s.revoked:
		t.finish(exposed.Withdrawn)
	case s.granted:
		t.startUnder(s)
	default:
		s.waiting = append(s.waiting, t)
	}
}

// startUnder begins a transfer under a lease.
func (t *transfer) startUnder(s *lease) {
	if t.dropped {
		return
	}
	if s.elsewhere {
		t.finish(errElsewhere)
		return
	}
	n := uint64(len(t.op.Data))
	if t.op.Offset > s.bytes || n > s.bytes-t.op.Offset {
		t.finish(exposed.Beyond)
		return
	}
	t.lease, t.at, t.key = s, s.at+t.op.Offset, s.key
	s.open++
	if len(t.op.Data) == 0 {
		t.settleLease()
		t.finish(nil)
		return
	}
	t.sendAll()
}

// sendAll sends all pieces as soon as slots are free.
func (t *transfer) sendAll() {
	w := t.peer.w
	if len(w.queue.all) > 0 || !t.sendPieces() {
		w.queue.all = append(w.queue.all, t)
	}
}

// piecesMax is the maximum number of pieces in flight: packets also need slots.
const piecesMax = slotsMax * 3 / 4

// pieceMax returns the maximum bytes of a piece: the room of a slot, in multiples of 16 KiB.
func (w *Way) pieceMax() int { return w.slots.room &^ (16<<10 - 1) }

// sendPieces sends pieces while slots are free. It reports whether all have left.
func (t *transfer) sendPieces() bool {
	w := t.peer.w
	for t.next < len(t.op.Data) && t.err == nil && !w.left.Load() { // after left, the memory belongs to its rank again
		if w.pieces == piecesMax {
			return false
		}
		if w.calls.full() {
			return false
		}
		slot, ok := w.slots.acquire(w)
		if !ok {
			return false
		}
		// A piece begins on a word boundary or ends with its word, so that no packet of the fabric ends within a word.
		at := t.at + uint64(t.next)
		n := min(len(t.op.Data)-t.next, w.pieceMax())
		if odd := int(at % exposed.WordBytes); odd > 0 {
			n = min(n, exposed.WordBytes-odd)
		}
		c := call{
			kind: getPiece, peer: t.peer, slot: slot, bytes: n, of: t, piece: t.op.Data[t.next : t.next+n],
			at: at, key: t.key,
		}
		if t.op.Kind == local.Put {
			c.kind = putPiece
			mem, _ := w.slots.at(slot)
			copy(mem, c.piece)
			w.counts.Puts++
		} else {
			w.counts.Gets++
		}
		tag, _ := w.calls.add(c)
		t.next += n
		t.pieces++
		w.pieces++
		w.submit(tag)
	}
	return true
}

// resume continues the transfers that wait for slots.
func (w *Way) resume() {
	if w.noSlot {
		w.noSlot = false
		w.news.Store(true)
	}
	w.queue.serve()
}

// queue has the transfers that wait for slots, in order.
type queue struct {
	all     []*transfer // nil for one that no longer needs any
	served  int         // number of served ones
	serving bool
}

// serve continues the transfers while slots are free. A call that fails immediately ends its transfer within serve, and
// would serve again.
func (q *queue) serve() {
	if q.serving {
		return
	}
	q.serving = true
	defer func() { q.serving = false }()
	for q.served < len(q.all) {
		if t := q.all[q.served]; t != nil && !t.sendPieces() {
			return
		}
		q.all[q.served] = nil
		q.served++
	}
	q.all, q.served = q.all[:0], 0
}

// moved records that a piece of a transfer has left or arrived.
func (w *Way) moved(c call, err error) {
	t := c.of
	if err == nil && c.kind == getPiece && !t.dropped {
		mem, _ := w.slots.at(c.slot)
		copy(c.piece, mem)
	}
	w.slots.release(c.slot)
	t.pieces--
	w.pieces--
	if err != nil {
		w.loseUnlessTold(c.peer, err)
		if !t.dropped {
			t.err = exposed.Lost
		}
		if i := slices.Index(w.queue.all, t); i >= 0 {
			w.queue.all[i] = nil
		}
	}
	if t.pieces == 0 && (t.next == len(t.op.Data) || t.err != nil) {
		if t.lease == nil {
			c.peer.fetched(t.fetch, t.err)
		} else {
			t.settleLease()
			t.finish(t.err)
		}
	}
	w.resume()
}

func (t *transfer) settleLease() {
	t.lease.open--
	t.peer.answerRevocation(t.op.Key, t.lease)
}

// finish reports the end of a transfer to its rank. A dropped transfer stays as it is: its rank reads it without the
// lock.
func (t *transfer) finish(err error) {
	if t.dropped {
		return
	}
	t.err, t.over = err, true
	r := t.of
	if r.done = append(r.done, t); len(r.done) == 1 {
		r.p.over.Wake()
	}
}

// settle ends the finished transfers, and reports whether it found any. It is for the rank's goroutine. It costs a load
// when nothing is open.
func (r *far) settle() bool {
	if r.fences.Open() == 0 {
		return false
	}
	w := r.p.w
	w.mu.Lock()
	r.taken, r.done = r.done, r.taken[:0]
	if endings := w.endings.Load(); endings != r.endings {
		r.endings = endings
		r.abandon()
	}
	w.unlock()
	ended := len(r.taken) > 0
	for _, t := range r.taken {
		r.conclude(t)
	}
	clear(r.taken)
	return ended
}

// abandon gives up transfers that lost processes will not end.
func (r *far) abandon() {
	for _, t := range r.all {
		if t.peer.over.Load() && !t.over {
			t.dropped, t.over, t.err = true, true, exposed.Lost
			r.taken = append(r.taken, t)
		}
	}
}

func (r *far) conclude(t *transfer) {
	op := t.op
	var cause error
	switch {
	case errors.Is(t.err, errElsewhere):
		r.fallBack(t)
		return
	case errors.Is(t.err, exposed.Lost):
		cause = r.lost(op)
	case t.err != nil:
		cause = op.Error(r.p.rank, t.err)
	}
	op.Completion.Inside(access).End(1, cause)
	r.remove(t, !t.dropped)
}

func (r *far) lost(op local.Operation) error {
	return op.Error(r.p.rank, local.Lost(r.p.w.place, int(op.Process)))
}

// fallBack passes an operation to TCP.
func (r *far) fallBack(t *transfer) {
	op, c := t.op, t.op.Completion
	t.passed = true
	t.rest = netio.Completion{}
	t.rest.Then(func() {
		c.Inside(access).End(1, t.rest.Err())
		r.remove(t, !t.dropped)
	})
	op.Completion = &t.rest
	r.rest.Start(op)
}

// remove removes a transfer, and ends the fences that have waited for it. again permits reuse of the transfer, if no
// other goroutine has it.
func (r *far) remove(t *transfer, again bool) {
	last := r.all[len(r.all)-1]
	r.all[t.place], last.place = last, t.place
	r.all = r.all[:len(r.all)-1]
	number := t.number
	if again {
		*t = transfer{of: r}
		r.spare = append(r.spare, t)
	}
	r.fences.End(number, func(c *netio.Completion) { c.Inside(access).End(1, nil) })
}

// Fence implements [local.Far].
func (r *far) Fence(c *netio.Completion) {
	if r.fences.Wait(c) {
		c.Inside(access).Begin(1)
	}
	r.rest.Fence(c)
}

// Open implements [local.Far].
func (r *far) Open() int { return r.fences.Open() + r.rest.Open() }
