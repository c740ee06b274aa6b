package tcp

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// sentFrames holds the data frames that were sent to a peer until it has acknowledged them. A frame comes home once it
// has been both written and acknowledged. The peer may release its copy before the system call that wrote it returns,
// and a lying peer must not make us reuse memory that the kernel still reads.
//
//	free ──enter──► entered ──written──► written ──acknowledge──► free (home)
//	                   └───acknowledge──► acknowledged ──written────┘
type sentFrames struct {
	mu     sync.Mutex
	table  pending.Table[sent]
	prompt inflight.Prompter
	over   bool // no acknowledgement will come any more

	bytes atomic.Int64           // payload in flight; changed under mu, read by any goroutine
	also  atomic.Pointer[func()] // called by close, each time
	ended func()                 // called likewise
}

// sent is one frame in flight.
type sent struct {
	frame                 *netio.Frame
	written, acknowledged bool
}

// access is the key to the parts of netio for transports.
var access frame.Access

// enter gives the frame its number. It is for the writer, before it encodes the frame.
func (s *sentFrames) enter(f *netio.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := s.table.Add(sent{frame: f})
	s.bytes.Add(int64(f.Bytes))
	f.Inside(access).Sent = frame.NewNumber(slot, s.prompt.Next(s.table.Len()))
}

// written records that the kernel has finished with the frame, with or without success.
func (s *sentFrames) written(f *netio.Frame) {
	s.mu.Lock()
	slot := f.Inside(access).Sent.Slot()
	p := s.table.At(slot)
	p.written = true
	home := s.over || p.acknowledged
	if home {
		s.free(slot)
	}
	s.mu.Unlock()
	if home {
		f.Release()
	}
}

// acknowledge takes the payload of an acknowledgement. It stops at the first invalid slot.
func (s *sentFrames) acknowledge(slots []byte) (err error) {
	var home netio.Frames
	s.mu.Lock()
	for ; len(slots) >= slotBytes && err == nil; slots = slots[slotBytes:] {
		err = s.acknowledged(binary.LittleEndian.Uint32(slots), &home)
	}
	s.mu.Unlock()
	home.Release()
	return err
}

// acknowledgeSlot takes the slot that a header acknowledges.
func (s *sentFrames) acknowledgeSlot(slot uint32) error {
	var home netio.Frames
	s.mu.Lock()
	err := s.acknowledged(slot, &home)
	s.mu.Unlock()
	home.Release()
	return err
}

// acknowledged adds the frame of a slot to those that come home, unless it is still being written. The caller holds mu.
func (s *sentFrames) acknowledged(slot uint32, home *netio.Frames) error {
	if s.over {
		return nil
	}
	p := s.table.At(slot)
	if p == nil || p.acknowledged {
		return fmt.Errorf("check acknowledgement: %w: nothing is in flight in slot %d", netio.ErrDamaged, slot)
	}
	p.acknowledged = true
	if p.written {
		home.PushFront(s.free(slot))
	}
	return nil
}

// free frees a slot.
func (s *sentFrames) free(slot uint32) *netio.Frame {
	f := s.table.Remove(slot).frame
	s.bytes.Add(-int64(f.Bytes))
	return f
}

// whenClosed registers f. It is called when no more acknowledgements will come, or at once if closed, and maybe again.
func (s *sentFrames) whenClosed(f func()) {
	s.also.Store(&f)
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	if over {
		f()
	}
}

// close stops waiting for acknowledgements: frames that were written come home now, and others when they have been
// written. Any goroutine may call it, more than once.
func (s *sentFrames) close() {
	home := s.abandon()
	home.Release()
	if also := s.also.Load(); also != nil {
		(*also)()
	}
	if s.ended != nil {
		s.ended()
	}
}

func (s *sentFrames) abandon() (home netio.Frames) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for slot, p := range s.table.All() {
		if p.written {
			home.PushFront(s.free(slot))
		}
	}
	return home
}
