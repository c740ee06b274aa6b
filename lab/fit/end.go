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
	failed   *atomic.Pointer[error] // what the transport has told, or why the context has ended
	self     uint32
	batches  bool          // frames share system calls
	sent     uint64        // data frames
	until    time.Duration // when a wait has lasted too long
	checksum uint64        // of what was read, so that reading is not left out
}

const (
	looks    = 256              // for a frame, before a rank parks
	patience = 10 * time.Second // for the other end, which answers at once
)

// commands are in the tags of data frames.
const (
	echo       = iota + 1 // send it back
	take                  // take it in
	trade                 // exchange as many as its Seq, of its size
	tradeAlone            // and pause after each
	tell                  // and tell, by a control frame, when as many as its Seq were taken in: frames have no order
	stop
)

// send lends a frame, touches each of its cache lines, and sends it.
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

// recv waits for a frame, as a rank does: it looks for a while and then parks.
func (e *end) recv() (*netio.Frame, error) {
	if err := e.failure(); err != nil {
		return nil, err
	}
	for range looks {
		if f := e.Recv(); f != nil {
			return f, nil
		}
		e.Pause()
	}
	until := e.Now() + patience
	for {
		if f := e.Recv(); f != nil {
			return f, nil
		}
		if err := e.lost(until); err != nil {
			return nil, err
		}
		e.Wait(patience / 20) // or until somebody has woken it because the transport has failed
	}
}

// idle is one turn of a wait in which nothing was done.
func (e *end) idle(turns *int) error {
	if *turns++; *turns < looks {
		e.Pause()
		return nil
	}
	if *turns == looks {
		e.until = e.Now() + patience
	}
	if err := e.lost(e.until); err != nil {
		return err
	}
	e.Wait(time.Millisecond)
	return nil
}

// room waits until the other end has taken in all but so many bytes of frames.
func (e *end) room(bytes int64) error {
	if err := e.failure(); err != nil {
		return err
	}
	for range looks {
		if e.Pool().Lent() <= bytes {
			return nil
		}
		e.Pause()
	}
	for until := e.Now() + patience; e.Pool().Lent() > bytes; e.Wait(time.Millisecond) {
		if err := e.lost(until); err != nil {
			return err
		}
	}
	return nil
}

// failure is why to give up, if there is a reason. It costs a load.
func (e *end) failure() error {
	if err := e.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// lost tells that there is nothing to wait for.
func (e *end) lost(until time.Duration) error {
	if err := e.failure(); err != nil {
		return err
	}
	if e.Now() > until {
		return fmt.Errorf("nothing has come from the other end for %v: try again on a machine that is less busy", patience)
	}
	return nil
}

// answer is the second end: it does what frames say until one says stop.
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
		case tell:
			wanted = h.Seq
		}
		if taken++; taken == wanted {
			e.told(taken, checksum)
			taken, wanted = 0, 0
		}
	}
}

// told sends a count by a control frame.
func (e *end) told(taken uint64, checksum byte) {
	f := e.Pool().Get(8)
	f.Kind, f.From, f.To, f.Bytes, f.Seq, f.Tag = netio.Control, e.self, 1-e.self, 8, taken, uint32(checksum)
	e.Send(f)
}
