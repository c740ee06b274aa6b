package netio

import (
	"runtime"
	"time"
)

// station is what every transport keeps for a rank of its own process: the frames that have arrived, the pool, and the
// place where the rank's goroutine parks. Frames between ranks of one process change hands here without a copy.
type station struct {
	arrived stack // pushed by anybody
	_       [cacheLine - 8]byte
	parking parking // looked at by anybody
	_       [cacheLine]byte
	inbox   *Frame // taken from arrived, oldest first; the rank's own
	pool    *Pool
	pauses  uint32 // calls of Pause, where the transport counts them
}

func newStation() *station {
	s := &station{parking: newParking()}
	s.pool = NewPool(s.parking.notify)
	return s
}

// deliver puts a frame in front of the rank. Any goroutine may call it.
func (s *station) deliver(f *Frame) {
	s.arrived.push(f)
	s.parking.notify()
}

// Wake implements [Port].
func (s *station) Wake() { s.parking.wake() }

// Recv implements [Port].
func (s *station) Recv() *Frame {
	if s.inbox == nil {
		s.inbox = reverse(s.arrived.takeAll())
		if s.inbox == nil {
			return nil
		}
	}
	f := s.inbox
	s.inbox = f.next
	f.next = nil
	s.fetchNext()
	return f
}

// Fetch implements [Port].
func (s *station) Fetch() {
	if s.inbox == nil && !s.arrived.empty() {
		s.inbox = reverse(s.arrived.takeAll())
		s.fetchNext()
	}
}

// fetchNext lets the next frame's payload come near while the rank is busy with other things.
func (s *station) fetchNext() {
	if f := s.inbox; f != nil {
		fetch(f.Base(), int(min(f.Bytes, fetchMax)))
	}
}

// fetchMax is how many bytes of a frame are fetched ahead: what stays in a first-level cache beside other data.
const fetchMax = 8 << 10

// has reports whether Recv would return a frame.
func (s *station) has() bool { return s.inbox != nil || !s.arrived.empty() }

// Pool implements [Port].
func (s *station) Pool() *Pool { return s.pool }

// Wait implements [Port].
func (s *station) Wait(d time.Duration) {
	s.parking.announce()
	if s.has() {
		s.parking.leave()
		return
	}
	if !s.pool.returned.empty() {
		s.parking.leave()
		s.pool.collect() // so that the next Wait, by a rank that needs no room, parks
		return
	}
	s.parking.sleep(d)
}

// Pause implements [Port].
func (s *station) Pause() { runtime.Gosched() }

// Now implements [Port].
func (s *station) Now() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
