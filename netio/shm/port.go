package shm

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// port is one rank's end of a [Way].
type port struct {
	w         *Way
	rank      int
	pool      *netio.Pool   // the rank's; its frames lie in shared memory
	parking   *idle.Parking // parking place of the rank
	ring      local.Ring
	next      uint64 // seq of the ring
	releases  releases
	nextBack  uint64 // seq of the releases
	sent      sentFrames
	received  received
	ended     uint32 // ended peers that this port has handled
	crossings uint64 // frames sent through shared memory
	detours   uint64 // frames that found no room there
}

func newPort(w *Way, over *local.Port, rank int) *port {
	p := &port{
		w: w, rank: rank, pool: over.Pool(), parking: over.Parking(),
		ring: w.own.ring(rank), releases: w.own.releasesOf(rank),
	}
	p.received.init(w)
	return p
}

// Memory implements [way.Port].
func (p *port) Memory(n int) []byte { return p.w.arena.alloc(n) }

// Drop implements [way.Port].
func (p *port) Drop(f *netio.Frame) { p.w.arena.release(p.w.own, f.Inside(access).Memory) }

// Gather implements [way.Port]: it collects the releases of the port's frames.
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
		if f, ok := p.sent.remove(n, process); ok {
			p.home(f)
		} else if to := p.w.peer(process); to == nil || !to.over.Load() {
			p.w.damaged(to, fmt.Errorf("process %d has released number %d, and nothing is in flight by it", process, n))
		}
	}
}

// home takes back frames that were in flight.
func (p *port) home(f sent) {
	if f.frame != nil {
		f.frame.Release()
		return
	}
	p.pool.Inside(access).Back(f.account, 1)
}

// Send implements [way.Port]. It costs an atomic exchange and a store that moves a cache line to another processor, and
// a system call when the receiver sleeps.
func (p *port) Send(f *netio.Frame) bool {
	to := p.w.peerOf(int(f.To))
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

// cross puts a frame into its receiver's ring if the ring has room.
func (p *port) cross(f *netio.Frame, to *peer) bool {
	in := f.Inside(access)
	lender := p
	if in.Pool != p.pool {
		if lender = p.w.lender(f); lender == nil {
			return false // belongs to another process
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
		through := sent{frame: f, to: to, leaving: lender != p}
		if byValue {
			through.frame, through.account = nil, in.Account
		}
		var ok bool
		if number, ok = lender.sent.enter(through); !ok {
			return false
		}
	}
	rank := &to.ranks[int(f.To)-to.place.First]
	seq, ok := rank.ring.Reserve(&rank.head)
	if !ok {
		if awaited {
			lender.sent.remove(number, to.place.Process)
		}
		return false
	}
	s := rank.ring.At(seq)
	if inline {
		s.CopyIn(f)
	}
	s.Write(&f.Header, uint32(lender.rank), number)
	if !inline {
		s.Refer(at)
	}
	rank.ring.Publish(s, seq)
	if awaited && lender != p {
		lender.sent.left(number, f)
		if to.over.Load() { // its rank may have looked before
			p.w.ended.Add(1)
			lender.parking.Wake()
		}
	}
	to.event.wake(rank.ring.Header)
	switch {
	case byValue:
		p.pool.Inside(access).Copied(f, awaited)
	case !awaited:
		f.Release()
	}
	return true
}

// Recv implements [way.Port]. An invalid slot ends the job.
func (p *port) Recv() (f *netio.Frame) {
	for f == nil && p.ring.Filled(p.next) {
		s := p.ring.At(p.next)
		s.Fetch()
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
			p.w.damaged(p.w.peerOf(int(d.Sender)), err)
		}
	}
	if f == nil || p.next%inflight.AckTogether == 0 {
		p.tellReleases()
	}
	return f
}

// tellReleases sends pending releases. Without any, it costs one load.
func (p *port) tellReleases() {
	if !p.received.pending.Empty() {
		p.received.keep(p.received.tellSenders())
	}
}

// Look implements [way.Port]. A fruitless look may wake other ranks of this process.
func (p *port) Look(times int) bool {
	p.tellReleases()
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

// Announce implements [way.Port].
func (p *port) Announce() bool {
	p.tellReleases()
	p.ring.Header.Asleep.Store(asleep)
	return p.news()
}

// news is the last look before the rank sleeps. Tests create work after it, which the announcement must notice.
func (p *port) news() bool {
	_, _, released := p.releases.next(p.nextBack)
	found := released || p.ring.Filled(p.next) || p.ended != p.w.ended.Load()
	p.parking.BeforeAnnouncement()
	return found
}

// Leave implements [way.Port].
func (p *port) Leave() { p.ring.Header.Asleep.Store(awake) }
