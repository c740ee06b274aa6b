package netio

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// station is what every transport keeps for a rank of its own process: the frames that have arrived, the pool, and the
// place where the rank's goroutine parks. Frames between ranks of one process change hands here: large ones without a copy,
// small ones by value.
type station struct {
	rank uint32
	pool *Pool
	tray *tray
	_    [cacheLine]byte

	arrived stack // pushed by anybody
	_       [2*cacheLine - 8]byte
	parking parking // looked at by anybody
	_       [cacheLine]byte

	inbox  *Frame // taken from arrived, oldest first; the rank's own, as are the next
	turns  uint32 // of Recv, which looks here first or there
	pauses uint32 // calls of Pause, where the transport counts them
	vain   uint32 // pauses since something came, where it counts those
	_      [2 * cacheLine]byte
}

// newStations makes those of a process's ranks.
func newStations(p Place) []*station {
	all := make([]*station, p.Last-p.First)
	for i := range all {
		s := &station{parking: newParking(), rank: uint32(p.First + i)}
		s.pool = NewPool(s.parking.notify)
		s.tray = newTray(len(all), s.rank, func(rank uint32) *station { return all[int(rank)-p.First] })
		all[i] = s
	}
	return all
}

// pass hands a frame to another rank of this process. It is for the rank's goroutine.
func (s *station) pass(f *Frame, to *station) {
	if f.Bytes > inlineMax || f.pool != s.pool || !to.tray.put(f, s.rank) {
		to.deliver(f)
		return
	}
	a, awaited := f.open, f.Kind != Control
	if s.pool.copied(f, awaited); awaited {
		s.pool.await(a)
	}
	to.parking.notify()
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
	s.turns++
	trayFirst := s.turns%2 == 0
	if trayFirst {
		if f := s.tray.take(); f != nil {
			return f
		}
	}
	if f := s.shift(); f != nil || trayFirst {
		return f
	}
	return s.tray.take()
}

// shift returns the oldest of the frames that did not come by the tray.
func (s *station) shift() *Frame {
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
		cpu.Prefetch(f.Base(), int(min(f.Bytes, fetchMax)))
	}
}

// fetchMax is how many bytes of a frame are fetched ahead: what stays in a first-level cache beside other data.
const fetchMax = 8 << 10

// has reports whether Recv would return a frame.
func (s *station) has() bool {
	return s.tray.filled() || s.inbox != nil || !s.arrived.empty()
}

// Pool implements [Port].
func (s *station) Pool() *Pool { return s.pool }

// Wait implements [Port].
func (s *station) Wait(d time.Duration) {
	s.parking.announce()
	if s.has() {
		s.parking.leave()
		return
	}
	if s.pool.collect() { // so that the next Wait, by a rank that needs no room, parks
		s.parking.leave()
		return
	}
	s.parking.sleep(d)
}

// Pause implements [Port].
func (s *station) Pause() { runtime.Gosched() }

// Now implements [Port].
func (s *station) Now() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
