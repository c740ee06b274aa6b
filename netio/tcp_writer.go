package netio

import (
	"fmt"
	"net"
)

// A batch is what one system call writes: many small frames, or a few large ones. The bounds keep frames from being lent
// for long after they have left.
const (
	batchFramesMax = 64
	batchBytesMax  = 256 << 10
)

// writer takes the frames of a lane's outbox, and the acknowledgements that are owed, to its connection. A frame and its
// header lie in one piece, so a batch is gathered by the kernel (writev) and nothing is copied here.
type writer struct {
	lane     *lane
	conn     net.Conn
	messages *Pool // lends acknowledgements
	pieces   [batchFramesMax][]byte
	batch    net.Buffers // what of pieces is still to be written
}

// run ends after it has written a goodbye, when the outbox is closed, or at the first error.
func (w *writer) run() error {
	for {
		f := w.take()
		if f == nil {
			if w.lane.out.closed.Load() {
				return nil
			}
			if err := w.rest(); err != nil {
				return w.excuse(err)
			}
		}
		for f != nil {
			rest, last, err := w.write(f)
			if err != nil || last {
				releaseAll(rest)
				return err
			}
			f = rest
		}
	}
}

// take returns what is to be written, acknowledgements last: a frame is what a rank waits for more often, and would be
// woken for twice.
func (w *writer) take() *Frame {
	newest := w.lane.out.queue.takeAll()
	if w.lane.light() {
		newest = w.lane.peer.owed.take(w.messages, newest)
	}
	return reverse(newest)
}

// idle reports whether there is nothing to do. What is due and not for this lane goes to the other one.
func (w *writer) idle() bool {
	out, owed := &w.lane.out, &w.lane.peer.owed
	switch {
	case !out.queue.empty() || out.closed.Load():
		return false
	case !owed.due.Load():
		return true
	case w.lane.light():
		return false
	}
	owed.wakeControl()
	return true
}

// rest sleeps until there is something to do. When that takes long, it tells the peer that this process is alive.
func (w *writer) rest() error {
	out := &w.lane.out
	out.parking.announce()
	if !w.idle() {
		out.parking.leave()
		return nil
	}
	if out.parking.sleep(w.lane.peer.t.config.SilenceMax / 4) {
		return nil
	}
	f := message(heartbeat, "")
	_, err := w.conn.Write(f.seal())
	return err
}

// write writes a first part of the list f and lets go of it. It returns the rest, and whether a goodbye was written, after
// which nothing may follow.
func (w *writer) write(f *Frame) (rest *Frame, last bool, err error) {
	n, bytes, news := 0, 0, false
	rest = f
	for rest != nil && n < batchFramesMax && bytes < batchBytesMax && !last {
		if rest.Kind == Data {
			w.lane.peer.underWay.enter(rest)
		}
		w.pieces[n] = rest.seal()
		bytes += len(w.pieces[n])
		news = news || rest.Kind < heartbeat
		last = rest.Kind == goodbye
		n++
		rest = rest.next
	}
	if news && w.lane.finished.Load() {
		err = ErrFinished
	} else {
		w.batch = w.pieces[:n]
		_, err = w.batch.WriteTo(w.conn)
	}
	clear(w.pieces[:n]) // the memory of a frame isn't ours any more
	w.letGo(f, n)
	if err == nil && last {
		err = w.end()
	}
	if !news {
		err = w.excuse(err)
	}
	return rest, last, err
}

// letGo ends the writer's use of the first n frames of a list. Data frames stay under way until they are acknowledged.
func (w *writer) letGo(f *Frame, n int) {
	for range n {
		next := f.next
		if f.Kind == Data {
			w.lane.peer.underWay.written(f)
		} else {
			f.Release()
		}
		f = next
	}
}

// end tells the peer that nothing follows, and leaves the other direction open: closing at once could destroy what is
// still on its way to the peer.
func (w *writer) end() error {
	if c, ok := w.conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// excuse forgives an error of writing what a peer that has finished has no use for.
func (w *writer) excuse(err error) error {
	if err == nil || w.lane.finished.Load() {
		return nil
	}
	return fmt.Errorf("%w: write: %w", errBroken, err)
}
