package shm

import (
	"sync"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// sentFrames are the data frames of one rank's pool that are in flight over shared memory, until their receivers have
// released them. It is the rank's goroutine that takes them back. Another rank of this process may have sent them.
type sentFrames struct {
	mu    sync.Mutex
	table pending.Table[sent]
}

// sent is one frame in flight.
type sent struct {
	frame   *netio.Frame   // nil when its contents went by value: it can be lent again at once
	account *netio.Account // of one that went by value; may be nil
	to      *peer
}

// enter returns the number of a frame that is sent; there may be none.
func (s *sentFrames) enter(f sent) (n frame.Number, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table.Len() == inflight.SharedMax {
		return 0, false
	}
	return frame.Number(s.table.Add(f)), true
}

// remove removes the frame that was sent to a process under a number, if there is one.
func (s *sentFrames) remove(n frame.Number, process int) (f sent, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.table.At(uint32(n)); at == nil || at.to.place.Process != process {
		return sent{}, false
	}
	return s.table.Remove(uint32(n)), true
}

// abandon takes out what was sent to processes that will release nothing any more. Such a process may be reading
// still, if it is there at all: memory that it was shown is not used again.
func (s *sentFrames) abandon() (all []sent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, at := range s.table.All() {
		if !at.to.over.Load() {
			continue
		}
		if f := at.frame; f != nil {
			f.Inside(access).Stale = f.Bytes > frame.InlineMax
		}
		all = append(all, s.table.Remove(n))
	}
	return all
}

// access is the key to the parts of netio for transports.
var access frame.Access
