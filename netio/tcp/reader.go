package tcp

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// readBufferBytes is the maximum size of a read of small frames, by stream. The buffer holds an acknowledgement or an
// abort message in one piece.
var readBufferBytes = [streamCount]int{controlStream: 32 << 10, dataStream: 128 << 10}

// If a payload lacks at least wholeBytesMin, the rest is read into the frame, and little beyond it: the next one may be
// as large, and should not be copied either. Copying less costs less than another system call.
const (
	wholeBytesMin = 16 << 10
	beyondBytes   = 4 << 10
)

var errBroken = errors.New("its connection broke without a goodbye")

// reader delivers the bytes that arrive on a stream to the ranks of this process. It may stop at any byte, and
// continues from there. Everything is checked before it is used.
type reader struct {
	stream *stream
	over   bool // a goodbye has come: nothing follows
	full   bool // the last read filled its space: more may follow

	answered bool // answers wait to be written

	in       []byte // in[from:to] was read ahead
	from, to int
	frame    *netio.Frame // frame whose payload is being read; nil between frames
	have     int          // bytes of that payload
	sum      uint32       // its CRC32C
	unwanted int          // bytes of a payload that is dropped
}

func newReader(l *stream) reader {
	return reader{stream: l, in: make([]byte, readBufferBytes[l.number])}
}

// run reads until a goodbye has come, which is no error.
func (r *reader) run(c carrier) error {
	for !r.over {
		if err := r.step(c); err != nil {
			return err
		}
	}
	return nil
}

// step reads once, and uses the bytes. The error is errAgain if nothing has arrived, and otherwise the cause of the
// failure.
func (r *reader) step(c carrier) error {
	payload, beyond := r.space()
	n, err := c.read(payload, beyond)
	if err != nil {
		return r.explain(err)
	}
	r.full = n == len(payload)+len(beyond)
	part := min(n, len(payload))
	r.have += part
	r.to += n - part
	return r.use()
}

// space returns the destinations of the next bytes: the payload that is being read, and the buffer beyond it.
func (r *reader) space() (payload, beyond []byte) {
	r.to = copy(r.in, r.in[r.from:r.to])
	r.from = 0
	if r.frame == nil {
		return nil, r.in[r.to:]
	}
	payload = r.frame.Payload()[r.have:]
	if len(payload) >= wholeBytesMin {
		return payload, r.in[:beyondBytes]
	}
	return payload, r.in
}

// use takes whole frames and messages out of the bytes that were read.
func (r *reader) use() error {
	for !r.over {
		if r.frame != nil {
			part := copy(r.frame.Payload()[r.have:], r.in[r.from:r.to])
			r.have += part
			r.from += part
			if r.have < int(r.frame.Bytes) {
				return nil
			}
			if err := r.deliver(); err != nil {
				return err
			}
		}
		part := min(r.unwanted, r.to-r.from)
		r.unwanted -= part
		r.from += part
		if r.to-r.from < frame.WireHeader {
			return nil
		}
		if whole, err := r.header(); err != nil || !whole {
			return err
		}
	}
	return nil
}

// header uses the next header, and the message after it unless that is incomplete.
func (r *reader) header() (whole bool, err error) {
	rest := r.in[r.from:r.to]
	h, e, err := decodeHeader(rest)
	if err != nil {
		return false, err
	}
	if err = r.check(&h, e.acks); err != nil {
		return false, fmt.Errorf("check header: %w: %w", netio.ErrDamaged, err)
	}
	rest = rest[frame.WireHeader:]
	framed := h.Kind == netio.Control || h.Kind == netio.Data || h.Kind >= request
	if !framed && len(rest) < int(h.Bytes) {
		return false, nil
	}
	r.from += frame.WireHeader
	if e.acks != 0 {
		if err = r.stream.peer.sent.acknowledgeSlot(e.acks - 1); err != nil {
			return false, err
		}
	}
	if framed {
		r.startPayload(&h, e)
		return true, nil
	}
	r.from += int(h.Bytes)
	return true, r.message(&h, e, rest[:h.Bytes])
}

func (r *reader) message(h *netio.Header, e envelope, payload []byte) error {
	if err := checkPayload(payload, h, e.payload); err != nil {
		return err
	}
	switch h.Kind {
	case heartbeat:
		r.stream.received.trim() // nothing has come for long
	case goodbye:
		r.over = true
		if h.Flags == afterFailure {
			r.stream.peer.left.Store(true)
		}
	case abort:
		r.aborted(h, string(payload))
	case acknowledgement:
		return r.stream.peer.sent.acknowledge(payload)
	}
	return nil
}

// check refuses intact headers that don't belong here.
func (r *reader) check(h *netio.Header, acks uint32) error {
	from, here := r.stream.peer.place, r.stream.peer.t.place
	control := r.stream.number == controlStream
	switch h.Kind {
	case netio.Control, netio.Data:
		switch {
		case (h.Kind == netio.Control) != control:
			return fmt.Errorf("kind %d on the wrong connection", h.Kind)
		case !here.Has(int(h.To)):
			return fmt.Errorf("for rank %d, which is not in this process", h.To)
		case !from.Has(int(h.From)):
			return fmt.Errorf("from rank %d, which is not in process %d", h.From, from.Process)
		}
	case request, answer:
		switch {
		case control:
			return fmt.Errorf("kind %#x on the wrong connection", h.Kind)
		case !here.Has(int(h.To)) || !from.Has(int(h.From)):
			return fmt.Errorf("an operation of rank %d for rank %d", h.From, h.To)
		case h.Bytes > requestBytesMax+pieceBytesMax:
			return fmt.Errorf("kind %#x with %d bytes", h.Kind, h.Bytes)
		}
	case note:
		if !control || h.Bytes > noteBytesMax || int(h.From) >= here.Processes || int(h.To) >= here.Processes {
			return fmt.Errorf("note of %d bytes on connection %d, of process %d for process %d",
				h.Bytes, r.stream.number, h.From, h.To)
		}
	case heartbeat, goodbye:
		if h.Bytes != 0 || h.Flags > afterFailure {
			return fmt.Errorf("message %#x with %d bytes and flags %#x", h.Kind, h.Bytes, h.Flags)
		}
	case abort:
		if !control || h.Bytes > reasonBytesMax || int(max(h.From, h.To, h.Tag)) >= here.Processes ||
			h.Seq > uint64(here.Processes) || int(h.Count) > hopsMax(here.Processes) {
			return fmt.Errorf("abort message of %d bytes on connection %d, of process %d for process %d",
				h.Bytes, r.stream.number, h.From, h.To)
		}
	case acknowledgement:
		if h.Bytes == 0 && acks == 0 || h.Bytes > ackBytesMax || h.Bytes%slotBytes != 0 {
			return fmt.Errorf("acknowledgement of %d bytes on connection %d", h.Bytes, r.stream.number)
		}
	default:
		return fmt.Errorf("unknown kind %#x", h.Kind)
	}
	return nil
}

// aborted takes an abort message, on a goroutine of its own: the caller holds a stream's lock.
func (r *reader) aborted(h *netio.Header, reason string) {
	n := notice{
		origin: int(h.From), reason: reason, lost: int(h.Seq) - 1, to: int(h.To), by: int(h.Tag), hops: int(h.Count),
	}
	from := r.stream.peer
	from.t.running.Go(func() { from.t.heard(n, from.place.Process) })
}

// startPayload lends the frame for a payload. While this process ends, the payload is dropped.
func (r *reader) startPayload(h *netio.Header, e envelope) {
	if r.stream.peer.t.down.Load() {
		r.unwanted = int(h.Bytes)
		return
	}
	from := &r.stream.received
	if h.Kind >= request {
		from = &r.stream.operations // not acknowledged
	}
	r.frame = from.lend(int(h.Bytes))
	r.frame.Header, r.frame.Inside(access).Received = *h, e.number
	r.have, r.sum = 0, e.payload
}

// deliver delivers the complete frame to its rank.
func (r *reader) deliver() error {
	f := r.frame
	r.frame = nil
	if err := checkPayload(f.Payload(), &f.Header, r.sum); err != nil {
		f.Release()
		return err
	}
	t := r.stream.peer.t
	switch f.Kind {
	case request:
		return r.answer(f)
	case note:
		t.noted(f)
		f.Release()
		return nil
	}
	t.locals[int(f.To)-t.place.First].Deliver(f)
	return nil
}

// answer answers a request. The answer leaves when the stream's lock has been released.
func (r *reader) answer(q *netio.Frame) error {
	a, err := r.stream.peer.server.serve(q)
	q.Release()
	if err != nil {
		return fmt.Errorf("serve operations: %w: %w", netio.ErrDamaged, err)
	}
	r.stream.out.push(a)
	r.answered = true
	return nil
}

func checkPayload(b []byte, h *netio.Header, sum uint32) error {
	if cpu.Checksum(b) != sum {
		return fmt.Errorf("check payload of %d bytes from rank %d: %w: wrong CRC32C", h.Bytes, h.From, netio.ErrDamaged)
	}
	return nil
}

// drop releases the frame that will stay incomplete, and the memory.
func (r *reader) drop() {
	if r.frame != nil {
		r.frame.Release()
		r.frame = nil
	}
	r.in = nil
}

// explain returns the error of a failed read.
func (r *reader) explain(err error) error {
	switch {
	case errors.Is(err, errAgain):
		return errAgain
	case errors.Is(err, os.ErrDeadlineExceeded):
		return r.stream.silent(err)
	case errors.Is(err, io.EOF) && (r.frame != nil || r.unwanted > 0 || r.from < r.to):
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: read: %w", errBroken, err)
}

// receivePool lends the frames that arrive on a stream. Senders bound the bytes lent at once, since they wait for their
// frames to come back; lend bounds the idle bytes. It is for the reader's goroutine.
type receivePool struct {
	pool *netio.Pool
	most int64 // maximum number of bytes lent at once since the last trim
}

// receivePoolFloor is the number of bytes that a receivePool may always keep.
const receivePoolFloor = 64 << 10

// lend drops idle frames of other sizes rather than hold more than twice the peak of the bytes in use.
func (r *receivePool) lend(n int) *netio.Frame {
	lent := r.pool.Lent() + netio.FrameCost(n)
	r.most = max(r.most, lent)
	if !r.pool.Inside(access).Has(n) && lent+r.pool.Idle() > max(2*r.most, receivePoolFloor) {
		r.trim()
	}
	return r.pool.Get(n)
}

// trim drops idle frames.
func (r *receivePool) trim() {
	r.pool.Trim()
	r.most = r.pool.Lent()
}
