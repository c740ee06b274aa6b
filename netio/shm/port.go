package shm

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// port is one rank's end of a [Way].
type port struct {
	w         *Way
	rank      int
	pool      *netio.Pool   // of the rank, whose frames lie in shared memory
	parking   *idle.Parking // where the rank parks
	ring      local.Ring
	next      uint64 // seq of the ring
	releases  releases
	nextBack  uint64 // seq of the releases
	sent      sentFrames
	received  received
	ended     uint32 // ends of links that were attended to
	crossings uint64 // frames that went through shared memory
	detours   uint64 // frames that had no room there
}

func newPort(w *Way, over *tcp.Port, rank int) *port {
	p := &port{w: w, rank: rank, pool: over.Pool(), parking: over.Parking(), ring: w.own.ring(rank), releases: w.own.releasesOf(rank)}
	p.received.init(w)
	return p
}

// Memory implements [tcp.WayPort].
func (p *port) Memory(n int) []byte { return p.w.arena.take(n) }

// Drop implements [tcp.WayPort].
func (p *port) Drop(f *netio.Frame) { p.w.arena.give(p.w.own, f.Inside(access).Memory) }

// Gather implements [tcp.WayPort]: it takes in what others have told of the port's frames.
func (p *port) Gather() {
	if ended := p.w.ended.Load(); ended != p.ended {
		p.ended = ended
		for _, f := range p.sent.abandon() {
			p.home(f)
		}
	}
	for {
		process, n, ok := p.releases.next(p.nextBack)
		if !ok {
			return
		}
		p.nextBack++
		if f, ok := p.sent.leave(n, process); ok {
			p.home(f)
		} else if to := p.w.link(process); to == nil || !to.over.Load() {
			p.w.damaged(to, fmt.Errorf("process %d has released number %d, and nothing is under way by it", process, n))
		}
	}
}

// home takes back what was in flight.
func (p *port) home(f sent) {
	if f.frame != nil {
		f.frame.Release()
		return
	}
	p.pool.Inside(access).Back(f.account, 1)
}

// Send implements [tcp.WayPort]. It costs an atomic exchange and a store that takes a cache line to another processor; when the
// receiver sleeps, a system call.
func (p *port) Send(f *netio.Frame, process int) bool {
	to := p.w.links[process]
	if to == nil || to.over.Load() {
		return false
	}
	if p.cross(f, to) {
		p.crossings++
		return true
	}
	p.detours++
	return false
}

// cross puts a frame into its receiver's ring, if there is room for all that it needs.
func (p *port) cross(f *netio.Frame, to *link) bool {
	in := f.Inside(access)
	lender := p
	if in.Pool != p.pool {
		if lender = p.w.lender(f); lender == nil {
			return false // it is another process's
		}
	}
	var at local.Location
	inline := f.Bytes <= frame.InlineMax
	if !inline {
		var ok bool
		if at.Offset, ok = p.w.own.find(in.Memory); !ok {
			return false
		}
		at.Class = uint32(frame.Class(in.Memory))
	}
	number, awaited := frame.None, !inline || f.Kind == netio.Data
	byValue := inline && lender == p
	if awaited {
		through := sent{frame: f, to: to}
		if byValue {
			through.frame, through.account = nil, in.Account
		}
		var ok bool
		if number, ok = lender.sent.enter(through); !ok {
			return false
		}
	}
	lane := &to.lanes[int(f.To)-to.place.First]
	seq, ok := lane.ring.Reserve(&lane.head)
	if !ok {
		if awaited {
			lender.sent.leave(number, to.place.Process)
		}
		return false
	}
	s := lane.ring.At(seq)
	s.Write(&f.Header, uint32(lender.rank), number)
	if inline {
		s.CopyIn(f)
	} else {
		s.Refer(at)
	}
	lane.ring.Publish(seq)
	to.event.wake(lane.ring.Header)
	switch {
	case byValue:
		p.pool.Inside(access).Copied(f, awaited)
	case !awaited:
		f.Release()
	}
	return true
}

// Recv implements [tcp.WayPort]. What makes no sense ends the job.
func (p *port) Recv() (f *netio.Frame) {
	for f == nil && p.ring.Filled(p.next) {
		s := p.ring.At(p.next)
		d := s.Descriptor()
		d.To = uint32(p.rank)
		mem, err := p.w.check(&d)
		if err == nil {
			f = p.received.lend(&d, mem)
			if d.Inline {
				s.CopyOut(f.Payload())
			}
		}
		p.next = p.ring.Advance(p.next)
		if err != nil {
			p.w.damaged(p.w.linkOf(int(d.Sender)), err)
		}
	}
	if f == nil || p.next%inflight.AckTogether == 0 {
		p.tell()
	}
	return f
}

// tell tells of releases. It costs one load when there are none.
func (p *port) tell() {
	if !p.received.pending.Empty() {
		p.received.keep(p.received.tell())
	}
}

// Look implements [tcp.WayPort]. When it looks in vain, it may wake other ranks of this process.
func (p *port) Look(times int) bool {
	p.tell()
	for range times {
		if p.ring.Filled(p.next) {
			return true
		}
	}
	if p.w.own.signalled.Load() != 0 {
		p.w.wakeCalled()
	}
	return false
}

// Announce implements [tcp.WayPort].
func (p *port) Announce() bool {
	p.tell()
	p.ring.Header.Asleep.Store(asleep)
	_, _, released := p.releases.next(p.nextBack)
	return released || p.ring.Filled(p.next) || p.ended != p.w.ended.Load()
}

// Leave implements [tcp.WayPort].
func (p *port) Leave() { p.ring.Header.Asleep.Store(awake) }
