package tcp

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// lane is one of the connections to a peer: an outbox with its writer, and a reader with the frames that it lends to
// the ranks of this process. It is served by two goroutines, or polled by the ranks.
type lane struct {
	peer       *peer
	number     int
	id         int // among all lanes of the process
	out        outbox
	received   receivePool // the reader's own, as is the next
	operations receivePool // of requests and answers
	finished   atomic.Bool // the peer has said goodbye on this lane
	joined     bool        // guarded by the peer

	served
	polled
}

func newLane(p *peer, number int, received netio.Keeper) *lane {
	l := &lane{peer: p, number: number, id: len(p.t.lanes), out: outbox{parking: idle.NewParking()}}
	l.received.pool, l.operations.pool = netio.NewPool(received), netio.NewPool(nil)
	p.t.lanes = append(p.t.lanes, l)
	return l
}

// lightBytesMax is how many bytes under way on the data lane may stand ahead of an acknowledgement.
const lightBytesMax = 256 << 10

// light reports whether acknowledgements would leave soon on this lane. The data lane may have much to carry, some of it in
// buffers of the kernel's.
func (l *lane) light() bool {
	return l.number == controlLane || l.peer.sent.bytes.Load() <= lightBytesMax
}

// idle reports whether there is nothing to write. What is due and not for this lane goes to the other one.
func (l *lane) idle() bool {
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

// kick has what waits on the lane written soon.
func (l *lane) kick() {
	if l.polling.Load() {
		l.flush()
		return
	}
	l.out.parking.Notify()
}

// awake reports whether the lane will be written to soon, so that acknowledgements can travel with frames.
func (l *lane) awake() bool {
	if l.polling.Load() {
		return l.hasNews()
	}
	return l.out.awake()
}

// stop ends the lane soon.
func (l *lane) stop() {
	l.hangUp()
	l.disconnect()
	l.out.close()
}

// wrote is how the writer ends. A broken connection may not be all there is to know.
func (l *lane) wrote(err error) {
	l.out.close()
	if l.number == controlLane {
		l.peer.acks.close()
	}
	switch {
	case errors.Is(err, netio.ErrFinished) && l.number == controlLane:
		l.peer.lose(err) // an abort message would have come before the goodbye
	case err != nil:
		l.peer.doubt(err)
	}
}

// read is how the reader ends.
func (l *lane) read(err error) {
	var aborted *netio.AbortError
	switch {
	case err == nil:
		l.finished.Store(true)
		if l.number == controlLane {
			l.peer.sent.close() // acknowledgements came before the goodbye, or never will
		}
	case errors.As(err, &aborted):
		l.peer.end(aborted)
	case errors.Is(err, errBroken):
		l.peer.doubt(err)
	default:
		l.peer.lose(err)
	}
}

// silent is the error for a peer that has said nothing for too long.
func (l *lane) silent(err error) error {
	return fmt.Errorf("it said nothing for %v: %w", l.peer.t.config.SilenceMax, err)
}
