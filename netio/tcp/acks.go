package tcp

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// pendingAcks holds the copies of a peer's data frames that ranks of this process have released, until they are
// acknowledged. Acknowledgements gather until they are due: when a rank of this process parks, when it looks for frames
// after releasing one that needs a prompt acknowledgement, or when the oldest gets late. The first writer that may
// takes all, on either stream. Waiting for a rank's next look costs nothing, and lets acknowledgements travel with the
// frames that the rank sends until then. pendingAcks is the keeper of received frames.
type pendingAcks struct {
	netio.Heap

	released netio.Stack
	due      atomic.Bool  // a writer must take them before it rests
	over     atomic.Bool  // nothing more is acknowledged
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

// flush makes a writer take the pending acknowledgements. It is the data stream's if that is awake anyway and has
// little to carry, so that acknowledgements travel with frames if these go both ways, or if it alone is connected.
func (a *pendingAcks) flush() {
	if a.released.Empty() {
		return
	}
	a.due.Store(true)
	data, alone := a.peer.streams[dataStream], !a.peer.streams[controlStream].up.Load()
	if alone || data.awake() && data.light() {
		data.kick()
	} else {
		a.wakeControl()
	}
}

func (a *pendingAcks) wakeControl() { a.peer.streams[controlStream].kick() }

// collect takes the pending acknowledgements. The header of the queue's first frame acknowledges one; the others go
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

// takeBack returns the first frame to its pool, and returns its slot.
func takeBack(all *netio.Frames) (slot uint32) {
	f := all.Shift()
	in := f.Inside(access)
	slot = in.Received.Slot()
	in.Pool.TakeBack(f)
	return slot
}

// close drops pending and future acknowledgements. Any goroutine may call it, more than once.
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

// ackList lists the peers that may have pending acknowledgements, so that a rank that parks need not look at all peers.
// Any goroutine may enter one; it costs an atomic exchange.
type ackList struct {
	first  atomic.Pointer[pendingAcks]
	prompt atomic.Bool // one of them needs a prompt acknowledgement
}

func (l *ackList) enter(a *pendingAcks) {
	if a.listed.Swap(true) {
		return // the goroutine that takes it off the list looks afterwards
	}
	for {
		a.next = l.first.Load()
		if l.first.CompareAndSwap(a.next, a) {
			return
		}
	}
}

// flushPrompt costs one load if no prompt acknowledgement is pending.
func (l *ackList) flushPrompt() {
	if l.prompt.Load() {
		l.flush()
	}
}

// flush costs one load if nothing is pending.
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
