package netio

import (
	"encoding/binary"
	"sync/atomic"
	"time"
)

// owed holds the copies of a peer's data frames that ranks of this process have released, until the peer is told: each
// release is one acknowledgement that is owed. They gather until a rank of this process parks, or looks for frames after it
// has released one that is to be acknowledged promptly, or the oldest gets late: then they are due. The first writer that
// may takes all, on either lane. To wait for a rank's next look costs nothing, and lets acknowledgements travel with what
// the rank sends until then.
type owed struct {
	released stack
	due      atomic.Bool // a writer is to take them before it rests
	over     atomic.Bool // the peer is told nothing any more
	listed   atomic.Bool // in a list of owing
	next     *owed       // in that list
	peer     *tcpPeer
	late     *time.Timer
	armed    atomic.Bool // late runs; to set it for each frame would cost more than the acknowledgement
}

// owedMax is how long an acknowledgement may wait while the ranks of this process are busy with something else, or are not
// those who release.
const owedMax = time.Millisecond

func (o *owed) init(p *tcpPeer) {
	o.peer = p
	o.late = time.AfterFunc(time.Hour, func() {
		o.armed.Store(false) // whoever releases a frame from now on sets it again
		o.flush()
	})
	o.late.Stop()
}

// add is what the release of a frame comes to. Anybody may call it.
func (o *owed) add(f *Frame) {
	all, prompt := &o.peer.t.owing, f.receipt.prompt()
	if o.released.push(f) {
		all.enter(o)
		if !o.armed.Swap(true) {
			o.late.Reset(owedMax)
		}
	}
	if prompt {
		all.prompt.Store(true)
	}
	if o.over.Load() {
		o.forgive()
	}
}

// flush has a writer take what is owed: that of the data lane when it is awake anyway and has little to carry, so that
// acknowledgements travel with frames where frames go both ways.
func (o *owed) flush() {
	if o.released.empty() {
		return
	}
	o.due.Store(true)
	if data := o.peer.lanes[dataLane]; data.awake() && data.light() {
		data.kick()
	} else {
		o.wakeControl()
	}
}

func (o *owed) wakeControl() { o.peer.lanes[controlLane].kick() }

// take moves what is owed into messages from the given pool, which it returns as a list ahead of rest. It is for the
// writers.
func (o *owed) take(pool *Pool, rest *Frame) *Frame {
	o.due.Store(false)
	for f := o.released.takeAll(); f != nil; {
		m := pool.Get(slotsBytesMax)
		m.Kind = acknowledgement
		for ; f != nil && m.Bytes < slotsBytesMax; m.Bytes += slotBytes {
			next := f.next
			binary.LittleEndian.PutUint32(m.Space()[m.Bytes:], f.receipt.slot())
			f.pool.takeBack(f)
			f = next
		}
		m.next = rest
		rest = m
	}
	return rest
}

// close forgets what is owed, and what will be. It may be called again, by anybody.
func (o *owed) close() {
	o.over.Store(true)
	o.late.Stop()
	o.forgive()
}

func (o *owed) forgive() {
	for f := o.released.takeAll(); f != nil; {
		next := f.next
		f.pool.takeBack(f)
		f = next
	}
}

// owing lists the peers that may be owed something, so that a rank that parks need not look at all. Anybody may enter one;
// it costs an atomic exchange.
type owing struct {
	first  atomic.Pointer[owed]
	prompt atomic.Bool // something is owed that is to be told promptly
}

func (l *owing) enter(o *owed) {
	if o.listed.Swap(true) {
		return // whoever takes it out of the list looks what it owes afterwards
	}
	for {
		o.next = l.first.Load()
		if l.first.CompareAndSwap(o.next, o) {
			return
		}
	}
}

// flushPrompt costs one load when nothing that is owed is to be told promptly.
func (l *owing) flushPrompt() {
	if l.prompt.Load() {
		l.flush()
	}
}

// flush costs one load when nothing is owed.
func (l *owing) flush() {
	if l.first.Load() == nil {
		return
	}
	l.prompt.Store(false)
	for o := l.first.Swap(nil); o != nil; {
		next := o.next
		o.listed.Store(false)
		o.flush()
		o = next
	}
}
