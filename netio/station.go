package netio

import (
	"runtime"
	"sync/atomic"
	"time"
)

// station is what every transport keeps for a rank of its own process: the frames that have arrived, the pool, and the
// place where the rank's goroutine parks. Frames between ranks of one process change hands here without a copy.
type station struct {
	arrived stack  // pushed by anybody
	inbox   *Frame // taken from arrived, oldest first; the rank's own
	pool    *Pool
	parked  atomic.Bool
	signal  chan struct{} // capacity 1: a wake-up that was not yet seen
	timer   *time.Timer
}

func newStation() *station {
	s := &station{signal: make(chan struct{}, 1)}
	s.pool = NewPool(s.notify)
	return s
}

// deliver puts a frame in front of the rank. Any goroutine may call it.
func (s *station) deliver(f *Frame) {
	s.arrived.push(f)
	s.notify()
}

// notify wakes the rank if it is parked. The rank announces that it parks before it looks for frames a last time, and
// whoever pushes looks for that announcement afterwards: one of the two sees the other.
func (s *station) notify() {
	if s.parked.Load() {
		s.Wake()
	}
}

// Wake implements [Port].
func (s *station) Wake() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

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
	return f
}

func reverse(f *Frame) *Frame {
	var done *Frame
	for f != nil {
		next := f.next
		f.next = done
		done, f = f, next
	}
	return done
}

// Pool implements [Port].
func (s *station) Pool() *Pool { return s.pool }

// Wait implements [Port].
func (s *station) Wait(d time.Duration) {
	s.parked.Store(true)
	defer s.parked.Store(false)
	if s.inbox != nil || !s.arrived.empty() {
		return
	}
	if !s.pool.returned.empty() {
		s.pool.collect() // so that the next Wait, by a rank that needs no room, parks
		return
	}
	if d < 0 {
		<-s.signal
		return
	}
	if s.timer == nil {
		s.timer = time.NewTimer(d)
	} else {
		s.timer.Reset(d)
	}
	select {
	case <-s.signal:
	case <-s.timer.C:
	}
	s.timer.Stop()
}

// Pause implements [Port].
func (s *station) Pause() { runtime.Gosched() }

// Now implements [Port].
func (s *station) Now() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
