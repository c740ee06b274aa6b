package shm

import (
	"sync"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// sentFrames are the data frames of one rank's pool that are in flight over shared memory, until their receivers have
// released them. The rank's goroutine takes them back. Another rank of this process may have sent them.
type sentFrames struct {
	mu    sync.Mutex
	table pending.Table[sent]
}

// sent is one frame in flight.
type sent struct {
	frame   *netio.Frame   // nil when its contents went by value: the frame is free immediately
	account *netio.Account // account of a frame that went by value; may be nil
	to      *peer
	leaving bool // another rank is still sending it
}

// enter returns the number for a sent frame. It reports false if none is free.
func (s *sentFrames) enter(f sent) (n frame.Number, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table.Len() == inflight.SharedMax {
		return 0, false
	}
	return frame.Number(s.table.Add(f)), true
}

// left records that the rank that sends a frame of this pool on has put it into a ring. The frame may have come home.
func (s *sentFrames) left(n frame.Number, f *netio.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.table.At(uint32(n)); at != nil && at.frame == f {
		at.leaving = false
	}
}

// remove removes the frame that was sent to a process under a number, if one exists.
func (s *sentFrames) remove(n frame.Number, process int) (f sent, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.table.At(uint32(n)); at == nil || at.to.place.Process != process {
		return sent{}, false
	}
	return s.table.Remove(uint32(n)), true
}

// abandon removes the frames that were sent to processes that are over. Such a process may still be reading, so the
// memory that it has seen is not used again.
func (s *sentFrames) abandon() (all []sent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, at := range s.table.All() {
		if !at.to.over.Load() || at.leaving {
			continue
		}
		if f := at.frame; f != nil {
			f.Inside(access).Stale = f.Bytes > frame.InlineMax
		}
		all = append(all, s.table.Remove(n))
	}
	return all
}

// access is the key to the transports' parts of netio.
var access frame.Access
