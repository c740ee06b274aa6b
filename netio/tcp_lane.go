package netio

import (
	"bufio"
	"errors"
	"net"
	"sync/atomic"
)

// lane is one of the connections to a peer: an outbox with its writer, and a reader with the frames that it lends to
// the ranks of this process.
type lane struct {
	peer     *tcpPeer
	number   int
	conn     net.Conn // set once, by join
	out      outbox
	received receiver    // the reader's own
	finished atomic.Bool // the peer has said goodbye on this lane
}

func newLane(p *tcpPeer, number int) *lane {
	l := &lane{peer: p, number: number, out: outbox{parking: newParking()}}
	l.received.pool = NewPool(nil)
	return l
}

// lightBytesMax is how many bytes under way on the data lane may stand ahead of an acknowledgement.
const lightBytesMax = 256 << 10

// light reports whether acknowledgements would leave soon on this lane. The data lane may have much to carry, some of it in
// buffers of the kernel's.
func (l *lane) light() bool {
	return l.number == controlLane || l.peer.underWay.bytes.Load() <= lightBytesMax
}

// stop ends both goroutines of the lane soon.
func (l *lane) stop() {
	if l.conn != nil {
		l.conn.Close()
	}
	l.out.close()
}

// write is the writer's goroutine.
func (l *lane) write() {
	w := writer{lane: l, conn: l.conn, messages: NewPool(nil)}
	err := w.run()
	l.out.close()
	if l.number == controlLane {
		l.peer.owed.close()
	}
	switch {
	case errors.Is(err, ErrFinished) && l.number == controlLane:
		l.peer.lose(err) // an abort message would have come before the goodbye
	case err != nil:
		l.peer.doubt(err)
	}
}

// read is the reader's goroutine. A broken connection may not be all there is to know.
func (l *lane) read() {
	conn := newWatch(l.conn, l.peer.t.config.SilenceMax)
	r := reader{lane: l, in: bufio.NewReaderSize(conn, readBufferBytes[l.number])}
	err := r.run()
	var aborted *AbortError
	switch {
	case err == nil:
		l.finished.Store(true)
		if l.number == controlLane {
			l.peer.underWay.close() // acknowledgements came before the goodbye, or never will
		}
	case errors.As(err, &aborted):
		l.peer.end(aborted)
	case errors.Is(err, errBroken):
		l.peer.doubt(err)
	default:
		l.peer.lose(err)
	}
}
