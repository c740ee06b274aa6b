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

// writer takes the frames of a lane's outbox to its connection. A frame and its header lie in one piece, so a batch is
// gathered by the kernel (writev) and nothing is copied here.
type writer struct {
	lane   *lane
	conn   net.Conn
	pieces [batchFramesMax][]byte
	batch  net.Buffers // what of pieces is still to be written
}

// run ends after it has written a goodbye, when the outbox is closed, or at the first error.
func (w *writer) run() error {
	for {
		f := w.lane.out.take()
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

// rest sleeps until there is something to write. When that takes long, it tells the peer that this process is alive.
func (w *writer) rest() error {
	out := &w.lane.out
	out.parking.announce()
	if !out.queue.empty() || out.closed.Load() {
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

// write writes a first part of the list f and releases it. It returns the rest, and whether a goodbye was written, after
// which nothing may follow.
func (w *writer) write(f *Frame) (rest *Frame, last bool, err error) {
	n, bytes, news := 0, 0, false
	rest = f
	for rest != nil && n < batchFramesMax && bytes < batchBytesMax && !last {
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
	for range n {
		next := f.next
		f.Release()
		f = next
	}
	if err == nil && last {
		err = w.end()
	}
	if !news {
		err = w.excuse(err)
	}
	return rest, last, err
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
