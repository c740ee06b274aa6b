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
	received receiver
	finished atomic.Bool // the peer has said goodbye on this lane
}

func newLane(p *tcpPeer, number int) *lane {
	l := &lane{peer: p, number: number, out: outbox{parking: newParking()}}
	l.received.init(p.t.config.ReceiveBudget)
	return l
}

// stop ends both goroutines of the lane soon.
func (l *lane) stop() {
	if l.conn != nil {
		l.conn.Close()
	}
	l.out.close()
	l.received.stop()
}

// write is the writer's goroutine.
func (l *lane) write() {
	w := writer{lane: l, conn: l.conn}
	err := w.run()
	l.out.close()
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
	case errors.As(err, &aborted):
		l.peer.end(aborted)
	case errors.Is(err, errBroken):
		l.peer.doubt(err)
	default:
		l.peer.lose(err)
	}
}
