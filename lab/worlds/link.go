package worlds

import (
	"bytes"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// link is a connection between two processes. The network's mu guards it.
type link struct {
	n        *network
	from, to int // from has dialled
	fate
	random drawn
	ends   [2]*half // of the dialling process, and of the other one
	ways   [2]way   // of the bytes that each end sends
	broken bool
}

// process returns the process at a side.
func (l *link) process(side int) int { return [2]int{l.from, l.to}[side] }

// strike records a fault that may end the job.
func (l *link) strike() { l.n.struck[between(l.from, l.to)] = true }

// way is one direction of a connection.
type way struct {
	overheard
	queue []segment
	sent  int
	read  int
	last  time.Time     // arrival of the bytes sent last
	over  time.Time     // time of the end of the bytes for the reader; zero while more may follow
	news  chan struct{} // capacity 1
}

// segment is bytes on their way.
type segment struct {
	at   time.Time
	data []byte
}

func (w *way) wake() {
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// arrival returns the arrival time of bytes that are sent now: not before that of earlier bytes.
func (l *link) arrival(side int) time.Time {
	w, at := &l.ways[side], time.Now().Add(l.n.latency(l.random))
	if at.Before(w.last) {
		at = w.last
	}
	return at
}

// half is one end of a connection.
type half struct {
	*link
	side     int
	closed   bool
	deadline time.Time // of reads; writes don't wait
	timer    *time.Timer
}

// wake makes the end look again for bytes to read.
func (h *half) wake() { h.ways[1-h.side].wake() }

// Write implements [net.Conn].
func (h *half) Write(b []byte) (int, error) {
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	w, trouble := &h.ways[h.side], &h.troubles[h.side]
	switch {
	case h.closed:
		return 0, net.ErrClosed
	case h.broken || h.n.dead(h.process(h.side)):
		return 0, syscall.ECONNRESET
	case !w.over.IsZero():
		return 0, syscall.EPIPE
	case w.sent+len(b) > trouble.breaks:
		h.snap(trouble)
		return 0, syscall.ECONNRESET
	}
	h.overhear(h.side, b)
	before := w.sent
	w.sent += len(b)
	if h.ends[1-h.side].closed || h.n.mute(h.process(1-h.side)) {
		return len(b), nil
	}
	w.last = h.arrival(h.side)
	if trouble.stalls >= before && trouble.stalls < w.sent {
		w.last = w.last.Add(trouble.stall)
	}
	if w.sent > trouble.hushes {
		h.strike()
		return len(b), nil
	}
	w.queue = append(w.queue, segment{w.last, bytes.Clone(b)})
	w.wake()
	return len(b), nil
}

// snap breaks the connection for both ends.
func (l *link) snap(t *trouble) {
	l.broken = true
	if !t.harmless {
		l.strike()
	}
	for side := range l.ways {
		l.ways[side].wake()
	}
}

// Read implements [net.Conn].
func (h *half) Read(b []byte) (int, error) {
	for {
		n, until, err := h.take(b)
		if n > 0 || err != nil {
			return n, err
		}
		h.await(until)
	}
}

// take takes bytes that have arrived, or returns the time to wait until; zero is without limit.
func (h *half) take(b []byte) (n int, until time.Time, err error) {
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	w, now := &h.ways[1-h.side], time.Now()
	switch {
	case h.closed:
		return 0, until, net.ErrClosed
	case h.broken || h.n.dead(h.process(h.side)):
		return 0, until, syscall.ECONNRESET
	case !h.deadline.IsZero() && !now.Before(h.deadline):
		return 0, until, os.ErrDeadlineExceeded
	case len(w.queue) > 0 && !now.Before(w.queue[0].at):
		n = copy(b, w.queue[0].data)
		if w.queue[0].data = w.queue[0].data[n:]; len(w.queue[0].data) == 0 {
			w.queue = w.queue[1:]
		}
		w.read += n
		return n, until, nil
	case len(w.queue) > 0:
		until = w.queue[0].at
	case !w.over.IsZero() && !now.Before(w.over):
		return 0, until, io.EOF
	default:
		until = w.over
	}
	return 0, sooner(until, h.deadline), nil
}

// sooner returns the earlier of two times. A zero time counts as none.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// await waits for news. An end has one reader at a time.
func (h *half) await(until time.Time) {
	news := h.ways[1-h.side].news
	if until.IsZero() {
		<-news
		return
	}
	if h.timer == nil {
		h.timer = time.NewTimer(time.Until(until))
	} else {
		h.timer.Reset(time.Until(until))
	}
	select {
	case <-news:
		h.timer.Stop()
	case <-h.timer.C:
	}
}

// finish ends the bytes for the reader at the other end, unless this end's host is silent.
func (h *half) finish() {
	w := &h.ways[h.side]
	if w.over.IsZero() && !h.n.mute(h.process(h.side)) && w.sent <= h.troubles[h.side].hushes {
		w.over = h.arrival(h.side)
		w.wake()
	}
}

// leave closes the end. The caller holds mu.
func (h *half) leave() {
	if !h.closed {
		h.finish()
		h.closed = true
		h.wake()
	}
}

// Close implements [net.Conn].
func (h *half) Close() error {
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	h.leave()
	return nil
}

// CloseWrite ends one direction, like that of a [net.TCPConn].
func (h *half) CloseWrite() error {
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	h.finish()
	return nil
}

// LocalAddr implements [net.Conn].
func (h *half) LocalAddr() net.Addr { return place(h.process(h.side)) }

// RemoteAddr implements [net.Conn].
func (h *half) RemoteAddr() net.Addr { return place(h.process(1 - h.side)) }

// SetDeadline implements [net.Conn].
func (h *half) SetDeadline(t time.Time) error { return h.SetReadDeadline(t) }

// SetWriteDeadline implements [net.Conn].
func (h *half) SetWriteDeadline(time.Time) error { return nil }

// SetReadDeadline implements [net.Conn].
func (h *half) SetReadDeadline(t time.Time) error {
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	h.deadline = t
	h.wake()
	return nil
}
