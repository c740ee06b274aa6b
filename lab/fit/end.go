package fit

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// end is one of the two ends of a link under measurement, on its own goroutine.
type end struct {
	netio.Port
	failed   *atomic.Pointer[error] // that the transport has reported, or why the context has ended
	self     uint32
	batches  bool          // frames share system calls
	sent     uint64        // data frames
	deadline time.Duration // of the wait that is going on
	checksum uint64        // of what was read, so that the compiler keeps the reads
}

const (
	spinsMax   = 256              // polls before a rank parks
	silenceMax = 10 * time.Second // of the other end, which answers at once
)

// commands are in the tags of data frames.
const (
	echo       = iota + 1 // send it back
	receive               // receive it
	trade                 // exchange as many as its Seq, of its size
	tradeAlone            // and pause after each
	report                // and report, by a control frame, when as many as its Seq were received: frames have no order
	stop
)

// send takes a frame from the pool, touches each of its cache lines, and sends it.
func (e *end) send(tag uint32, bytes int) { e.sendWith(tag, bytes, 0) }

func (e *end) sendWith(tag uint32, bytes int, seq uint64) {
	f := e.Pool().Get(bytes)
	f.Kind, f.From, f.To, f.Bytes, f.Tag, f.Seq = netio.Data, e.self, 1-e.self, uint32(bytes), tag, seq
	payload := f.Payload()
	for i := 0; i < len(payload); i += 64 {
		payload[i] = byte(i)
	}
	e.sent++
	e.Send(f)
}

// touch reads each cache line of a frame.
func touch(f *netio.Frame) (sum byte) {
	payload := f.Payload()
	for i := 0; i < len(payload); i += 64 {
		sum += payload[i]
	}
	return sum
}

// recv waits for a frame.
func (e *end) recv() (f *netio.Frame, err error) {
	return f, e.await(func() bool { f = e.Recv(); return f != nil })
}

// room waits until at most so many bytes of frames are in flight.
func (e *end) room(bytes int64) error {
	return e.await(func() bool { return e.Pool().Lent() <= bytes })
}

// await polls until done, as a rank does: it spins for a while and then parks.
func (e *end) await(done func() bool) error {
	if err := e.failure(); err != nil {
		return err
	}
	for polls := 0; !done(); {
		if err := e.idle(&polls); err != nil {
			return err
		}
	}
	return nil
}

// idle waits a little after a poll that found nothing. It counts the polls, and fails when the other end has been
// silent too long.
func (e *end) idle(polls *int) error {
	if *polls++; *polls < spinsMax {
		e.Pause()
		return nil
	}
	if *polls == spinsMax {
		e.deadline = e.Now() + silenceMax
	}
	if err := e.failure(); err != nil {
		return err
	}
	if e.Now() > e.deadline {
		return fmt.Errorf("nothing has come from the other end for %v: try again on a machine that is less busy",
			silenceMax)
	}
	e.Wait(time.Millisecond)
	return nil
}

// failure is why the measurement has failed, if it has. It costs one load.
func (e *end) failure() error {
	if err := e.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// answer is the second end: it carries out the commands of frames until stop.
func (e *end) answer() error {
	taken, wanted, checksum := uint64(0), uint64(0), byte(0)
	for {
		f, err := e.recv()
		if err != nil {
			return err
		}
		h := f.Header
		checksum += touch(f)
		f.Release()
		switch h.Tag {
		case echo:
			e.send(echo, int(h.Bytes))
			continue
		case trade, tradeAlone:
			if _, err := e.trade(int(h.Bytes), int(h.Seq), h.Tag == tradeAlone); err != nil {
				return err
			}
			continue
		case stop:
			return e.room(0)
		case report:
			wanted = h.Seq
		}
		if taken++; taken == wanted {
			e.report(taken, checksum)
			taken, wanted = 0, 0
		}
	}
}

// report sends a count by a control frame.
func (e *end) report(taken uint64, checksum byte) {
	f := e.Pool().Get(8)
	f.Kind, f.From, f.To, f.Bytes, f.Seq, f.Tag = netio.Control, e.self, 1-e.self, 8, taken, uint32(checksum)
	e.Send(f)
}
