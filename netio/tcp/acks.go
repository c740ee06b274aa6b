package tcp

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// pendingAcks holds the copies of a peer's data frames that ranks of this process have released, until the peer is
// told: each release is one acknowledgement. They gather until a rank of this process parks, or looks for frames after
// it has released one that is to be acknowledged promptly, or the oldest gets late: then they are due. The first writer
// that may takes all, on either stream. To wait for a rank's next look costs nothing, and lets acknowledgements travel
// with what the rank sends until then. It keeps the pool of the frames that are received.
type pendingAcks struct {
	netio.Heap

	released netio.Stack
	due      atomic.Bool  // a writer is to take them before it rests
	over     atomic.Bool  // the peer is told nothing any more
	listed   atomic.Bool  // in an ackList
	next     *pendingAcks // in that list
	peer     *peer
	late     inflight.DelayedFlush
}

func (a *pendingAcks) init(p *peer) {
	a.peer = p
	a.late.Init(a.flush)
}

// Release implements [netio.Keeper].
func (a *pendingAcks) Release(_ *netio.Pool, f *netio.Frame) {
	all, prompt := &a.peer.t.acks, f.Inside(access).Received.Prompt()
	if a.released.Push(f) {
		all.enter(a)
		a.late.Arm()
	}
	if prompt {
		all.prompt.Store(true)
	}
	if a.over.Load() {
		a.discard()
	}
}

// flush has a writer take what is pending: that of the data stream when it is awake anyway and has little to carry, so
// that acknowledgements travel with frames where frames go both ways.
func (a *pendingAcks) flush() {
	if a.released.Empty() {
		return
	}
	a.due.Store(true)
	if data := a.peer.streams[dataStream]; data.awake() && data.light() {
		data.kick()
	} else {
		a.wakeControl()
	}
}

func (a *pendingAcks) wakeControl() { a.peer.streams[controlStream].kick() }

// collect takes what is pending. The first frame of a queue is to acknowledge one, with its header; the others it puts
// into messages from the given pool, at the end of the queue. It is for the writers.
func (a *pendingAcks) collect(pool *netio.Pool, queue *netio.Frames) (first uint32) {
	a.due.Store(false)
	all := a.released.TakeNewest()
	if all.Empty() {
		return 0
	}
	first = 1 + takeBack(&all)
	for !all.Empty() || queue.Empty() {
		m := pool.Get(ackBytesMax)
		m.Kind = acknowledgement
		for ; !all.Empty() && m.Bytes < ackBytesMax; m.Bytes += slotBytes {
			binary.LittleEndian.PutUint32(m.Space()[m.Bytes:], takeBack(&all))
		}
		queue.Push(m)
	}
	return first
}

// takeBack gives the first frame back to its pool, and returns its slot.
func takeBack(all *netio.Frames) (slot uint32) {
	f := all.Shift()
	in := f.Inside(access)
	slot = in.Received.Slot()
	in.Pool.TakeBack(f)
	return slot
}

// close forgets what is pending, and what will be. It may be called again, by anybody.
func (a *pendingAcks) close() {
	a.over.Store(true)
	a.late.Stop()
	a.discard()
}

func (a *pendingAcks) discard() {
	all := a.released.TakeNewest()
	for f := all.Shift(); f != nil; f = all.Shift() {
		f.Inside(access).Pool.TakeBack(f)
	}
}

// ackList lists the peers that may have acknowledgements pending, so that a rank that parks need not look at all.
// Anybody may enter one; it costs an atomic exchange.
type ackList struct {
	first  atomic.Pointer[pendingAcks]
	prompt atomic.Bool // one of them is to be told promptly
}

func (l *ackList) enter(a *pendingAcks) {
	if a.listed.Swap(true) {
		return // whoever takes it out of the list looks what is pending afterwards
	}
	for {
		a.next = l.first.Load()
		if l.first.CompareAndSwap(a.next, a) {
			return
		}
	}
}

// flushPrompt costs one load when nothing is to be told promptly.
func (l *ackList) flushPrompt() {
	if l.prompt.Load() {
		l.flush()
	}
}

// flush costs one load when nothing is pending.
func (l *ackList) flush() {
	if l.first.Load() == nil {
		return
	}
	l.prompt.Store(false)
	for a := l.first.Swap(nil); a != nil; {
		next := a.next
		a.listed.Store(false)
		a.flush()
		a = next
	}
}
