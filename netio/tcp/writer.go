package tcp

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/netio"
)

// A batch is the frames of one system call: many small ones, or a few large ones. The bounds keep frames from being
// lent for long after they have left.
const (
	batchFramesMax = 64
	batchBytesMax  = 256 << 10
)

// writer gives the frames of a stream's outbox, and the pending acknowledgements, to a carrier. A frame and its header
// are contiguous, so the kernel gathers a batch (writev) without copies here. It may stop at any byte, and goes on from
// there.
type writer struct {
	stream   *stream
	messages *netio.Pool  // lends acknowledgements
	frames   netio.Frames // taken from the outbox, oldest first: those of the batch, then the rest
	count    int          // frames in the batch
	news     bool         // the batch has frames that must not go to a peer that has finished
	acks     uint32       // the acknowledgement in the next header, as in an envelope
	last     bool         // the batch ends with a goodbye, after which nothing may follow
	pieces   [batchFramesMax][]byte
	left     [][]byte // the unwritten rest of pieces
}

func newWriter(l *stream) writer { return writer{stream: l, messages: netio.NewPool(nil)} }

// advance writes until nothing is left, or until a goodbye was written, or an error: errAgain if the carrier is full.
func (w *writer) advance(c carrier) (last bool, err error) {
	for {
		if w.frames.Empty() {
			w.frames = w.nextFrames()
		}
		if w.frames.Empty() {
			return false, nil
		}
		if len(w.left) == 0 {
			w.gather()
		}
		if err := w.push(c); err != nil || w.last {
			return w.last && err == nil, err
		}
	}
}

// nextFrames returns the next frames to write, acknowledgements last: ranks wait more often for a frame, and would be
// woken twice.
func (w *writer) nextFrames() netio.Frames {
	frames := w.stream.out.queue.Take()
	if w.stream.light() {
		w.acks = w.stream.peer.acks.collect(w.messages, &frames)
	}
	return frames
}

// gather makes a batch of the first frames.
func (w *writer) gather() {
	w.count, w.news, w.last = 0, false, false
	bytes := 0
	for f := w.frames.First(); f != nil && bytes < batchBytesMax; f = f.Inside(access).Next {
		if f.Kind == netio.Data {
			w.stream.peer.sent.enter(f)
		}
		w.pieces[w.count] = encode(f, w.acks)
		w.acks = 0
		bytes += len(w.pieces[w.count])
		w.news = w.news || f.Kind < heartbeat
		w.last = f.Kind == goodbye
		if w.count++; w.count == batchFramesMax || w.last {
			break
		}
	}
	w.left = w.pieces[:w.count]
}

// push writes the rest of the batch. It ends the batch when all is written, or after an error.
func (w *writer) push(c carrier) (err error) {
	if w.news && w.stream.finished.Load() {
		err = netio.ErrFinished
	} else {
		var n int
		n, err = c.write(w.left)
		w.left = skip(w.left, n)
	}
	if errors.Is(err, errAgain) {
		return errAgain
	}
	w.letGo()
	if err == nil && w.last {
		err = c.endWriting()
	}
	if !w.news {
		err = w.excuse(err)
	}
	return err
}

// skip drops the first n bytes.
func skip(pieces [][]byte, n int) [][]byte {
	for len(pieces) > 0 && n >= len(pieces[0]) {
		n -= len(pieces[0])
		pieces = pieces[1:]
	}
	if len(pieces) > 0 {
		pieces[0] = pieces[0][n:]
	}
	return pieces
}

// letGo ends the writer's use of the batch. Data frames stay in flight until they are acknowledged.
func (w *writer) letGo() {
	clear(w.pieces[:w.count]) // the memory of a frame isn't ours any more
	w.left = nil
	for ; w.count > 0; w.count-- {
		f := w.frames.Shift()
		if f.Kind == netio.Data {
			w.stream.peer.sent.written(f)
		} else {
			f.Release()
		}
	}
}

// drop releases frames that will not be written.
func (w *writer) drop() {
	w.letGo()
	w.frames.Release()
}

// excuse drops the error of a write that a finished peer does not need.
func (w *writer) excuse(err error) error {
	if err == nil || w.stream.finished.Load() {
		return nil
	}
	return fmt.Errorf("%w: write: %w", errBroken, err)
}
