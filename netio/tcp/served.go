package tcp

import (
	"crypto/tls"
	"net"
	"time"
)

// served is the part of a stream with two goroutines that block on its connection.
type served struct{ conn net.Conn } // set once, by serve

// serve starts both goroutines.
func (l *stream) serve(conn net.Conn) {
	l.conn = conn
	c := &blocking{conn: conn, watch: newWatch(conn, l.peer.t.config.SilenceMax)}
	l.peer.t.running.Go(func() {
		w := newWriter(l)
		err := w.run(c)
		w.drop()
		l.wrote(err)
	})
	l.peer.t.running.Go(func() {
		r := newReader(l)
		err := r.run(c)
		r.drop()
		l.read(err)
	})
}

// disconnect makes both goroutines end.
func (l *stream) disconnect() {
	if l.conn != nil {
		l.conn.Close()
	}
}

// limit bounds the time for writing the remaining bytes.
func (l *stream) limit(deadline time.Time) {
	if l.conn != nil {
		l.conn.SetWriteDeadline(deadline) // fails only on a closed connection
	}
}

// run writes frames until it has written a goodbye, the outbox is closed, or an error occurs.
func (w *writer) run(c carrier) error {
	for {
		last, err := w.advance(c)
		if last || err != nil || w.stream.out.closed.Load() {
			return err
		}
		if err := w.rest(c); err != nil {
			return w.excuse(err)
		}
	}
}

// rest sleeps until the writer has something to do. After a long sleep it sends a heartbeat.
func (w *writer) rest(c carrier) error {
	out := &w.stream.out
	out.parking.Announce()
	if !w.stream.idle() {
		out.parking.Leave()
		return nil
	}
	if out.parking.Sleep(w.stream.peer.t.config.SilenceMax / 4) {
		return nil
	}
	w.pieces[0] = encode(message(heartbeat, ""), 0)
	_, err := c.write(w.pieces[:1])
	return err
}

// blocking is the carrier of a connection with one goroutine for each direction.
type blocking struct {
	conn  net.Conn
	watch *watch
	batch net.Buffers // pieces being written
	whole []byte      // over TLS, the same in one piece
}

func (b *blocking) read(first, second []byte) (int, error) {
	if len(first) > 0 {
		return b.watch.Read(first)
	}
	return b.watch.Read(second)
}

func (b *blocking) write(pieces [][]byte) (int, error) {
	if encrypted, ok := b.conn.(*tls.Conn); ok {
		return b.writeWhole(encrypted, pieces)
	}
	b.batch = pieces
	n, err := b.batch.WriteTo(b.conn)
	return int(n), err
}

// writeWhole joins the pieces first: TLS makes a record, and a system call, of each Write of up to 16 KiB.
func (b *blocking) writeWhole(conn *tls.Conn, pieces [][]byte) (int, error) {
	if len(pieces) == 1 {
		return conn.Write(pieces[0])
	}
	b.whole = b.whole[:0]
	for _, piece := range pieces {
		b.whole = append(b.whole, piece...)
	}
	return conn.Write(b.whole)
}

func (b *blocking) endWriting() error {
	if c, ok := b.conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// watch reads from a connection, and gives up when the peer has been silent for too long. The time between two reads
// doesn't count.
type watch struct {
	conn     net.Conn
	silence  time.Duration
	deadline time.Time
}

func newWatch(conn net.Conn, silence time.Duration) *watch {
	return &watch{conn: conn, silence: silence}
}

// Read renews the deadline only if an eighth of the silence has passed since its last renewal: setting it costs more
// than reading the clock.
func (w *watch) Read(b []byte) (int, error) {
	if now := time.Now(); w.deadline.Before(now.Add(w.silence)) {
		w.deadline = now.Add(w.silence + w.silence/8)
		if err := w.conn.SetReadDeadline(w.deadline); err != nil {
			return 0, err
		}
	}
	return w.conn.Read(b)
}
