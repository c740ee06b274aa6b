package local

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// Port is the part of a port that all transports share: the arrived frames, the pool, and the parking place of the
// rank's goroutine. It passes frames between ranks of one process: large ones without a copy, small ones by value. It
// implements [netio.Port] except Send.
type Port struct {
	netio.Heap // of the pool

	rank   uint32
	pool   *netio.Pool
	inline *inlineRing
	_      [cpu.CacheLine]byte

	arrived netio.Stack // pushed by any goroutine
	_       [2*cpu.CacheLine - 8]byte
	parking idle.Parking // notified by any goroutine
	_       [cpu.CacheLine]byte

	inbox netio.Frames // taken from arrived; the rank's own, like the next
	turns uint32       // calls of Recv, which alternate the first place to look
	_     [2 * cpu.CacheLine]byte
}

// NewPorts returns the ports of a process's ranks.
func NewPorts(p netio.Place) []*Port {
	all := make([]*Port, p.Last-p.First)
	for i := range all {
		s := &Port{parking: idle.NewParking(), rank: uint32(p.First + i)}
		s.pool = netio.NewPool(s)
		s.inline = newInlineRing(len(all), s.rank, func(rank uint32) *Port { return all[int(rank)-p.First] })
		all[i] = s
	}
	return all
}

// Release implements [netio.Keeper].
func (s *Port) Release(p *netio.Pool, f *netio.Frame) {
	p.TakeBack(f)
	s.parking.Notify()
}

// Pass passes a frame to another rank of this process. It is for the rank's goroutine.
func (s *Port) Pass(f *netio.Frame, to *Port) {
	in := f.Inside(access)
	if f.Bytes > frame.InlineMax || in.Pool != s.pool || !to.inline.put(f, s) {
		to.Deliver(f)
		return
	}
	a, awaited := in.Account, f.Kind != netio.Control
	pool := s.pool.Inside(access)
	if pool.Copied(f, awaited); awaited {
		pool.Await(a)
	}
	to.parking.Notify()
}

// Deliver appends a frame to the rank's arrived frames. Any goroutine may call it.
func (s *Port) Deliver(f *netio.Frame) {
	s.arrived.Push(f)
	s.parking.Notify()
}

// Parking returns the rank's parking place.
func (s *Port) Parking() *idle.Parking { return &s.parking }

// Wake implements [netio.Port].
func (s *Port) Wake() { s.parking.Wake() }

// Recv implements [netio.Port].
func (s *Port) Recv() *netio.Frame {
	s.turns++
	inlineFirst := s.turns%2 == 0
	if inlineFirst && s.inline.filled() {
		return s.inline.take()
	}
	if f := s.shift(); f != nil {
		return f
	}
	if !inlineFirst && s.inline.filled() {
		return s.inline.take()
	}
	return nil
}

// shift returns the oldest frame that arrived outside the inline ring.
func (s *Port) shift() *netio.Frame {
	f, next := s.inbox.ShiftOr(&s.arrived)
	prefetch(next)
	return f
}

// Fetch implements [netio.Port].
func (s *Port) Fetch() {
	if s.inbox.Empty() && !s.arrived.Empty() {
		s.inbox = s.arrived.Take()
		prefetch(s.inbox.First())
	}
}

// prefetch prefetches the payload of the next frame, if any, while the rank does other work.
func prefetch(f *netio.Frame) {
	if f != nil {
		cpu.Prefetch(f.Base(), int(min(f.Bytes, prefetchMax)))
	}
}

// prefetchMax is the maximum of prefetched bytes of a frame: they fit into a first-level cache beside other data.
const prefetchMax = 8 << 10

// Has reports whether Recv would return a frame.
func (s *Port) Has() bool {
	return s.inline.filled() || !s.inbox.Empty() || !s.arrived.Empty()
}

// Pool implements [netio.Port].
func (s *Port) Pool() *netio.Pool { return s.pool }

// Collect collects the frames that returned to the pool, and reports whether it found any.
func (s *Port) Collect() bool {
	before := s.pool.Back()
	s.pool.Lent()
	return s.pool.Back() != before
}

// Wait implements [netio.Port].
func (s *Port) Wait(d time.Duration) {
	s.parking.Announce()
	if s.Has() || s.Collect() { // after a collection, the next Wait of a rank that needs no room parks
		s.parking.Leave()
		return
	}
	s.parking.Sleep(d)
}

// Pause implements [netio.Port].
func (s *Port) Pause() { runtime.Gosched() }

// Now implements [netio.Port].
func (s *Port) Now() time.Duration { return idle.Now() }
