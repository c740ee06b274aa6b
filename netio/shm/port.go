package shm

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/idle"
	"github.com/activepebbles/pebbles/internal/inflight"
	"github.com/activepebbles/pebbles/internal/local"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// port is the port of one rank of a [Transport], and keeps its pool. What doesn't go through shared memory goes over TCP.
type port struct {
	*tcp.Port
	t         *Transport
	rank      int
	ring      local.Ring
	next      uint64 // seq of the ring
	releases  releases
	nextBack  uint64 // seq of the releases
	sent      sentFrames
	received  received
	ended     uint32 // ends of links that were attended to
	turns     uint32 // of Recv, which looks here first or there
	streak    idle.Streak
	limit     int // spin limit: idle polls before the rank parks
	yields    uint32
	crossings uint64 // frames that went through shared memory
	detours   uint64 // frames that had no room there
}

var _ netio.Port = (*port)(nil)

func (p *port) init(t *Transport, tcp *tcp.Port, rank int) {
	p.t, p.rank, p.Port = t, rank, tcp
	p.limit = t.policy.Max
	p.ring, p.releases = t.own.ring(rank), t.own.releasesOf(rank)
	p.received.init(t)
	p.Pool().Inside(access).SetKeeper(p)
}

// Memory implements [netio.Keeper].
func (p *port) Memory(n int) []byte { return p.t.arena.bytes(n) }

// Drop implements [netio.Keeper].
func (p *port) Drop(f *netio.Frame) { p.t.arena.give(p.t.own, f.Inside(access).Memory) }

// Gather implements [netio.Keeper]: it takes in what others have told of the port's frames.
func (p *port) Gather() {
	if ended := p.t.ended.Load(); ended != p.ended {
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
		} else if to := p.t.link(process); to == nil || !to.over.Load() {
			p.t.damagedRelease(process, n)
		}
	}
}

// home takes back what was in flight.
func (p *port) home(f sent) {
	if f.frame != nil {
		f.frame.Release()
		return
	}
	p.Pool().Inside(access).Back(f.account, 1)
}

// Send implements [netio.Port]. It costs an atomic exchange and a store that takes a cache line to another processor; when the
// receiver sleeps, a system call.
func (p *port) Send(f *netio.Frame) {
	if to := p.t.linkTo(int(f.To)); to != nil {
		if p.cross(f, to) {
			p.crossings++
			return
		}
		p.detours++
	}
	p.Port.Send(f)
}

// cross puts a frame into its receiver's ring, if there is room for all that it needs.
func (p *port) cross(f *netio.Frame, to *link) bool {
	in := f.Inside(access)
	lender := p
	if in.Pool != p.Pool() {
		if lender = p.t.lender(f); lender == nil {
			return false // it is another process's
		}
	}
	var at local.Location
	inline := f.Bytes <= frame.InlineMax
	if !inline {
		var ok bool
		if at.Offset, ok = p.t.own.find(in.Memory); !ok {
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
		p.Pool().Inside(access).Copied(f, awaited)
	case !awaited:
		f.Release()
	}
	return true
}

// Recv implements [netio.Port]. It costs a few loads when nothing has arrived.
func (p *port) Recv() *netio.Frame {
	if p.turns++; p.turns%inflight.ReleaseLookEvery == 0 {
		p.Gather()
	}
	asideFirst := p.turns%2 == 0
	var f *netio.Frame
	if asideFirst {
		f = p.recvAside()
	}
	if f == nil {
		f = p.recv()
	}
	if f == nil && !asideFirst {
		f = p.recvAside()
	}
	if f != nil {
		p.streak.End()
	}
	if f == nil || p.next%inflight.AckTogether == 0 {
		p.tell()
	}
	return f
}

// recvAside returns a frame of those that don't go through shared memory.
func (p *port) recvAside() *netio.Frame {
	if p.t.far || p.turns/2%idle.LookAsideEvery == 0 {
		return p.Port.Recv()
	}
	return p.Port.Port.Recv()
}

// tell tells of releases.
func (p *port) tell() { p.received.keep(p.received.tell()) }

// recv returns the next frame of the ring, if there is one. What makes no sense ends the job.
func (p *port) recv() *netio.Frame {
	for p.ring.Filled(p.next) {
		s := p.ring.At(p.next)
		d := s.Descriptor()
		d.To = uint32(p.rank)
		mem, err := p.t.check(&d)
		var f *netio.Frame
		if err == nil {
			f = p.received.lend(&d, mem)
			if d.Inline {
				s.CopyOut(f.Payload())
			}
		}
		p.next = p.ring.Advance(p.next)
		if err == nil {
			return f
		}
		p.t.damaged(int(d.Sender), err)
	}
	return nil
}

// stirs tells whether there is something to receive or to gather.
func (p *port) stirs() bool {
	_, _, released := p.releases.next(p.nextBack)
	return released || p.Has() || p.ended != p.t.ended.Load()
}

// Has reports whether Recv would return a frame.
func (p *port) Has() bool { return p.ring.Filled(p.next) || p.Port.Has() }

// Wait implements [netio.Port]. The rank polls up to its spin limit before it parks. It looks for frames that came back as
// well: they may be what the rank waits for, and nobody wakes it for them before it says that it sleeps.
func (p *port) Wait(d time.Duration) {
	p.tell()
	if p.Collect() {
		return
	}
	for !p.tired() && !p.Parking().Woken() {
		if p.spin() {
			return
		}
		p.yield()
		if p.streak.Polls%p.t.policy.CollectEvery == 0 && p.Collect() {
			p.streak.End()
			return
		}
	}
	p.park(d)
}

// Pause implements [netio.Port]. Many idle ones come to a short Wait.
func (p *port) Pause() {
	p.tell()
	p.Port.Inside(access).Flush()
	switch {
	case p.spin():
	case p.tired():
		p.park(idle.PauseMax)
	default:
		p.yield()
	}
}

// tired tells whether the rank has reached its spin limit, or polled for long.
func (p *port) tired() bool {
	return p.streak.Polls >= p.limit || p.t.policy.Processes > 0 && p.streak.Long()
}

// park sleeps until somebody wakes the rank, and learns from how long that took.
func (p *port) park(d time.Duration) {
	p.streak.End()
	state := &p.ring.Header.Asleep
	p.Parking().BeforeAnnouncement()
	state.Store(asleep)
	if !p.stirs() {
		begin := idle.Now()
		p.Port.Wait(d)
		p.limit = p.t.policy.Learn(p.limit, idle.Now()-begin)
	}
	state.Store(awake)
}

// spin looks for a moment, and reports whether something arrived. Whoever waits for releases asks the pool.
func (p *port) spin() bool {
	for range p.t.policy.Looks {
		if p.Has() {
			return true
		}
	}
	return false
}

// yield is an idle poll: it lets others run who need this core.
func (p *port) yield() {
	p.streak.Polls++
	if p.t.own.signalled.Load() != 0 {
		p.t.wakeCalled()
	}
	p.yields++
	if p.yields%p.t.policy.Ranks == 0 {
		runtime.Gosched()
	}
	if p.t.policy.Processes > 0 && p.yields%p.t.policy.Processes == 0 {
		p.t.policy.Yield()
	}
}
