package netio

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// readBufferBytes is what one read of small frames may bring, by lane. What is left of a larger payload is read straight
// into the frame.
var readBufferBytes = [laneCount]int{controlLane: 32 << 10, dataLane: 256 << 10}

var errBroken = errors.New("its connection broke without a goodbye")

// reader takes what arrives on a lane to the ranks of this process. Everything is checked before it is used.
type reader struct {
	lane  *lane
	in    *bufio.Reader
	slots [slotsBytesMax]byte // of the acknowledgement that is being read
}

// run returns nil after a goodbye, an AbortError after an abort message, and what is wrong otherwise.
func (r *reader) run() error {
	for {
		head, err := r.in.Peek(headerBytes)
		if err != nil {
			return r.explain(err)
		}
		h, e, err := decodeHeader(head)
		if err != nil {
			return err
		}
		if err := r.check(&h); err != nil {
			return fmt.Errorf("check header: %w: %w", ErrDamaged, err)
		}
		_, _ = r.in.Discard(headerBytes) // is there, so it can't fail
		switch h.Kind {
		case heartbeat:
			r.lane.received.trim() // nothing has come for long
		case goodbye:
			return nil
		case abort:
			err = r.abort(&h, e)
		case acknowledgement:
			err = r.acknowledgement(&h, e)
		default:
			err = r.frame(&h, e)
		}
		if err != nil {
			return err
		}
	}
}

// check refuses headers that are whole, and don't belong here.
func (r *reader) check(h *Header) error {
	from, here := r.lane.peer.place, r.lane.peer.t.place
	control := r.lane.number == controlLane
	switch h.Kind {
	case Control, Data:
		switch {
		case (h.Kind == Control) != control:
			return fmt.Errorf("kind %d on the wrong connection", h.Kind)
		case !here.has(int(h.To)):
			return fmt.Errorf("for rank %d, which is not in this process", h.To)
		case !from.has(int(h.From)):
			return fmt.Errorf("from rank %d, which is not in process %d", h.From, from.Process)
		}
	case heartbeat, goodbye:
		if h.Bytes != 0 {
			return fmt.Errorf("message %#x with %d bytes", h.Kind, h.Bytes)
		}
	case abort:
		if !control || h.Bytes > reasonBytesMax {
			return fmt.Errorf("abort message of %d bytes on connection %d", h.Bytes, r.lane.number)
		}
	case acknowledgement:
		if h.Bytes == 0 || h.Bytes > slotsBytesMax || h.Bytes%slotBytes != 0 {
			return fmt.Errorf("acknowledgement of %d bytes on connection %d", h.Bytes, r.lane.number)
		}
	default:
		return fmt.Errorf("unknown kind %#x", h.Kind)
	}
	return nil
}

// frame reads a payload and hands the frame to its rank. While this process ends, nobody wants it.
func (r *reader) frame(h *Header, e envelope) error {
	t := r.lane.peer.t
	if t.down.Load() {
		_, err := r.in.Discard(int(h.Bytes))
		return r.explain(err)
	}
	f := r.lane.received.lend(int(h.Bytes))
	f.Header, f.receipt = *h, e.ticket
	if err := r.payload(f.Payload(), h, e); err != nil {
		f.Release()
		return err
	}
	t.stations[int(h.To)-t.place.First].deliver(f)
	return nil
}

func (r *reader) payload(b []byte, h *Header, e envelope) error {
	if _, err := io.ReadFull(r.in, b); err != nil {
		return r.explain(err)
	}
	if crc32.Checksum(b, castagnoli) != e.payload {
		return fmt.Errorf("check payload of %d bytes from rank %d: %w: wrong CRC32C", h.Bytes, h.From, ErrDamaged)
	}
	return nil
}

func (r *reader) abort(h *Header, e envelope) error {
	reason := make([]byte, h.Bytes)
	if err := r.payload(reason, h, e); err != nil {
		return err
	}
	return &AbortError{Process: r.lane.peer.place.Process, Reason: string(reason)}
}

func (r *reader) acknowledgement(h *Header, e envelope) error {
	slots := r.slots[:h.Bytes]
	if err := r.payload(slots, h, e); err != nil {
		return err
	}
	return r.lane.peer.underWay.acknowledge(slots)
}

// explain says in words why nothing more can be read.
func (r *reader) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("it said nothing for %v: %w", r.lane.peer.t.config.SilenceMax, err)
	default:
		return fmt.Errorf("%w: read: %w", errBroken, err)
	}
}
