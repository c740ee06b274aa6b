package tcp

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// stream is one of the connections to a peer: an outbox with its writer, and a reader with the frames that it lends to
// the ranks of this process. Two goroutines serve it, or the ranks poll it.
type stream struct {
	peer       *peer
	number     int
	id         int // among all streams of the process
	out        outbox
	received   receivePool // owned by the reader, like the next
	operations receivePool // of requests and answers
	finished   atomic.Bool // the peer has said goodbye on this stream
	wanted     atomic.Bool // a dial has begun, or another process dials it at the start
	up         atomic.Bool // it has a connection, or had one
	quiet      atomic.Bool // nothing has come on it for half the silence limit
	calls

	served
	polled
}

func newStream(p *peer, number int, received netio.Keeper) *stream {
	id := p.place.Process*streamCount + number
	l := &stream{peer: p, number: number, id: id, out: outbox{parking: idle.NewParking()}}
	l.received.pool, l.operations.pool = netio.NewPool(received), netio.NewPool(nil)
	return l
}

// lightBytesMax is the maximum number of bytes in flight on the data stream that may precede an acknowledgement.
const lightBytesMax = 256 << 10

// calls is the state of a stream's connection. The peer guards it.
//
//	nothing ──mayDial──► dialling ──────► joined
//	   └────mayAnswer──► answering ─────►
type calls struct{ dialling, answering, joined bool }

// mayDial reports whether this end may dial, and records a dial until endDial.
func (l *stream) mayDial() bool {
	l.peer.mu.Lock()
	defer l.peer.mu.Unlock()
	l.dialling = !l.joined && !l.answering && !l.peer.over && !l.peer.aborted && !l.peer.t.down.Load()
	return l.dialling
}

func (l *stream) endDial() {
	l.peer.mu.Lock()
	defer l.peer.mu.Unlock()
	l.dialling = false
}

// mayAnswer reports whether a connection dialled by the peer is wanted, and records that until it joins, or until
// endAnswer. If both ends dial, the dial of the higher process number counts.
func (l *stream) mayAnswer() bool {
	l.peer.mu.Lock()
	defer l.peer.mu.Unlock()
	if l.joined || l.answering || l.dialling && l.peer.place.Process < l.peer.t.place.Process {
		return false
	}
	l.answering = true
	return true
}

func (l *stream) endAnswer() {
	l.peer.mu.Lock()
	defer l.peer.mu.Unlock()
	l.answering = false
}

// connected reports whether the stream has a connection, or had one.
func (l *stream) connected() bool {
	l.peer.mu.Lock()
	defer l.peer.mu.Unlock()
	return l.joined
}

// settled reports whether the stream need not be dialled any more.
func (l *stream) settled() bool {
	l.peer.mu.Lock()
	defer l.peer.mu.Unlock()
	return l.joined || l.peer.over || l.peer.aborted || l.peer.t.down.Load()
}

// light reports whether acknowledgements would leave soon on this stream. The data stream may have much to carry, some
// of it in the kernel's buffers. Without a control stream, acknowledgements leave on it all the same.
func (l *stream) light() bool {
	return l.number == controlStream || l.peer.sent.bytes.Load() <= lightBytesMax ||
		!l.peer.streams[controlStream].up.Load()
}

// idle reports whether the stream has nothing to write. Due acknowledgements that would be late on this stream go to
// the other one.
func (l *stream) idle() bool {
	acks := &l.peer.acks
	switch {
	case !l.out.queue.Empty() || l.out.closed.Load():
		return false
	case !acks.due.Load():
		return true
	case l.light():
		return false
	}
	acks.wakeControl()
	return true
}

// kick makes the stream write its frames soon.
func (l *stream) kick() {
	if l.polling.Load() {
		l.flush()
		return
	}
	l.out.parking.Notify()
}

// awake reports whether the stream will be written to soon, so that acknowledgements can travel with frames.
func (l *stream) awake() bool {
	if l.polling.Load() {
		return l.hasNews()
	}
	return l.out.awake()
}

// stop ends the stream soon.
func (l *stream) stop() {
	l.hangUp()
	l.disconnect()
	l.out.close()
}

// wrote handles the end of the writer. A broken connection may not be the whole reason.
func (l *stream) wrote(err error) {
	l.out.close()
	if l.number == controlStream {
		l.peer.acks.close()
	}
	switch {
	case errors.Is(err, netio.ErrFinished) && l.number == controlStream && !l.peer.left.Load():
		l.peer.lose(err)
	case err != nil:
		l.peer.loseLater(err)
	}
}

// read handles the end of the reader.
func (l *stream) read(err error) {
	switch {
	case err == nil:
		l.peer.leave() // first: a writer must not take it for lost
		l.finished.Store(true)
		last := l.number == controlStream || !l.peer.streams[controlStream].up.Load()
		if last && !l.peer.left.Load() { // otherwise they end with the peer, once the reason is known
			l.peer.sent.close() // acknowledgements came before the goodbye, or never will
		}
	case errors.Is(err, errBroken):
		l.peer.loseLater(err)
	default:
		l.peer.lose(err)
	}
}

// silent returns the error of a peer that has been silent for too long.
func (l *stream) silent(err error) error {
	return fmt.Errorf("it said nothing for %v: %w", l.peer.t.config.SilenceMax, err)
}

// outbox holds the frames that wait for the writer of a stream. Any goroutine may push; one takes. After close, all
// frames in it and all later ones are released.
type outbox struct {
	queue   netio.Stack
	closed  atomic.Bool
	parking idle.Parking
}

// push queues a frame, and never blocks. If the outbox closes meanwhile, push or close releases the frame: close looks
// at the queue after it has closed, and push checks for closure after it has pushed.
func (o *outbox) push(f *netio.Frame) {
	o.queue.Push(f)
	if o.closed.Load() {
		o.discard()
		return
	}
	o.parking.Notify()
}

// awake reports whether the writer looks for work before it rests, so that it need not be woken.
func (o *outbox) awake() bool { return !o.closed.Load() && !o.parking.Announced() }

// close may be called again, by any goroutine.
func (o *outbox) close() {
	o.closed.Store(true)
	o.discard()
	o.parking.Wake()
}

func (o *outbox) discard() {
	all := o.queue.Take()
	all.Release()
}
