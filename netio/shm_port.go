package netio

import (
	"runtime"
	"time"
)

// shmPort is the port of one rank of a [Shm]. What doesn't go through shared memory goes the way of its tcpPort.
type shmPort struct {
	*tcpPort
	t         *Shm
	rank      int
	ring      ring
	taken     uint64 // tickets of the ring that were taken
	returns   returns
	returned  uint64 // tickets of the returns that were taken
	passages  passages
	guests    guests
	overs     uint32 // ends of links that were attended to
	turns     uint32 // of Recv, which looks here first or there
	vain      vain
	patience  int // pauses in vain after which the rank parks
	yields    uint32
	crossings uint64 // frames that went through shared memory
	detours   uint64 // frames that had no room there
}

var _ Port = (*shmPort)(nil)

func (p *shmPort) init(t *Shm, rank int) {
	p.t, p.rank, p.tcpPort = t, rank, t.tcp.ports[rank-t.place.First]
	p.patience = t.pace.most
	p.ring, p.returns = t.own.ring(rank), t.own.returnsOf(rank)
	p.guests.init(t)
	p.pool.bytes, p.pool.gather = t.arena.bytes, p.attend
	p.pool.drop = func(f *Frame) { t.arena.give(t.own, f.mem) }
}

// Send implements [Port]. It costs an atomic exchange and a store that takes a cache line to another processor; when the
// receiver sleeps, a system call.
func (p *shmPort) Send(f *Frame) {
	if to := p.t.linkTo(int(f.To)); to != nil {
		if p.cross(f, to) {
			p.crossings++
			return
		}
		p.detours++
	}
	p.tcpPort.Send(f)
}

// cross puts a frame into its receiver's ring, if there is room for all that it needs.
func (p *shmPort) cross(f *Frame, to *shmLink) bool {
	lender := p
	if f.pool != p.pool {
		if lender = p.t.lender(f); lender == nil {
			return false // it is another process's
		}
	}
	var at place
	inline := f.Bytes <= inlineMax
	if !inline {
		var ok bool
		if at.offset, ok = p.t.own.find(f.mem); !ok {
			return false
		}
		at.class = uint32(f.class())
	}
	passage, awaited := noPassage, !inline || f.Kind == Data
	byValue := inline && lender == p
	if awaited {
		through := shmPassage{frame: f, to: to}
		if byValue {
			through.frame, through.account = nil, f.open
		}
		var ok bool
		if passage, ok = lender.passages.enter(through); !ok {
			return false
		}
	}
	lane := &to.lanes[int(f.To)-to.place.First]
	ticket, ok := lane.ring.draw(&lane.seen)
	if !ok {
		if awaited {
			lender.passages.leave(passage, to.place.Process)
		}
		return false
	}
	s := lane.ring.at(ticket)
	s.write(&f.Header, uint32(lender.rank), passage)
	if inline {
		copyInline(s, f)
	} else {
		s.refer(at)
	}
	lane.ring.publish(ticket)
	to.bell.call(lane.ring.desk)
	switch {
	case byValue:
		p.pool.copied(f, awaited)
	case !awaited:
		f.Release()
	}
	return true
}

// Recv implements [Port]. It costs a few loads when nothing has arrived.
func (p *shmPort) Recv() *Frame {
	if p.turns++; p.turns%turnsBeforeReturns == 0 {
		p.attend()
	}
	stationFirst := p.turns%2 == 0
	var f *Frame
	if stationFirst {
		f = p.beside()
	}
	if f == nil {
		f = p.take()
	}
	if f == nil && !stationFirst {
		f = p.beside()
	}
	if f != nil {
		p.vain.end()
	}
	if f == nil || p.taken%toldTogether == 0 {
		p.tell()
	}
	return f
}

// turnsBeforeSockets is how often Recv finds nothing new in what goes over TCP when nothing must: a look at sockets takes longer than
// a frame's whole way through shared memory, and the sentry looks at them too.
const turnsBeforeSockets = 64

// turnsBeforeReturns is how often Recv looks for releases that nobody has asked for. To look at them each time would be to take
// their cache line from whoever tells of the next.
const turnsBeforeReturns = 256

// beside returns a frame of those that don't go through shared memory.
func (p *shmPort) beside() *Frame {
	if p.t.far || p.turns/2%turnsBeforeSockets == 0 {
		return p.tcpPort.Recv()
	}
	return p.station.Recv()
}

// toldTogether is how many frames a rank receives before others are told what it has released, when there are always more:
// it holds up few of the frames that a sender has credit for.
const toldTogether = 8

func (p *shmPort) tell() { p.guests.settle(p.guests.tell()) }

// take returns the next frame of the ring, if there is one. What makes no sense ends the job.
func (p *shmPort) take() *Frame {
	for p.ring.filled(p.taken) {
		s := p.ring.at(p.taken)
		l := s.letter()
		l.To = uint32(p.rank)
		mem, err := p.t.check(&l)
		var f *Frame
		if err == nil {
			f = p.guests.lodge(&l, mem)
			if l.inline {
				copy(f.Payload(), s.body[:])
			}
		}
		p.taken = p.ring.empty(p.taken)
		if err == nil {
			return f
		}
		p.t.damaged(int(l.sender), err)
	}
	return nil
}

// attend takes what others have told of the port's frames. The pool asks for it when it collects.
func (p *shmPort) attend() {
	if overs := p.t.overs.Load(); overs != p.overs {
		p.overs = overs
		for _, passage := range p.passages.abandon() {
			p.home(passage)
		}
	}
	for {
		process, passage, ok := p.returns.next(p.returned)
		if !ok {
			return
		}
		p.returned++
		if through, ok := p.passages.leave(passage, process); ok {
			p.home(through)
		} else if to := p.t.link(process); to == nil || !to.over.Load() {
			p.t.damagedReturn(process, passage)
		}
	}
}

// home takes back what has passed.
func (p *shmPort) home(through shmPassage) {
	if through.frame != nil {
		through.frame.Release()
		return
	}
	p.pool.done(through.account, 1)
}

// stirs tells whether there is something to receive or to attend to.
func (p *shmPort) stirs() bool {
	_, _, returned := p.returns.next(p.returned)
	return returned || p.has() || p.overs != p.t.overs.Load()
}

// has reports whether Recv would return a frame.
func (p *shmPort) has() bool { return p.ring.filled(p.taken) || p.station.has() }

// Wait implements [Port]. The rank looks around for a while before it parks, as long as that has paid lately. It looks for frames that
// came back as well: it may be what the rank waits for, and nobody rings for it before the rank rests.
func (p *shmPort) Wait(d time.Duration) {
	p.tell()
	if p.pool.collect() {
		return
	}
	for !p.tired() && !p.parking.woken() {
		if p.spin() {
			return
		}
		p.yield()
		if p.vain.pauses%p.t.pace.room == 0 && p.pool.collect() {
			p.vain.end()
			return
		}
	}
	p.park(d)
}

// Pause implements [Port]. Many in vain come to a short Wait.
func (p *shmPort) Pause() {
	p.tell()
	p.keepPromises()
	switch {
	case p.spin():
	case p.tired():
		p.park(pauseMax)
	default:
		p.yield()
	}
}

// tired tells whether the rank has paused in vain for long enough to park.
func (p *shmPort) tired() bool {
	return p.vain.pauses >= p.patience || p.t.pace.processes > 0 && p.vain.long()
}

// park sleeps until somebody calls, and learns from how long that took.
func (p *shmPort) park(d time.Duration) {
	p.vain.end()
	asleep := &p.ring.desk.asleep
	p.parking.about()
	asleep.Store(resting)
	if !p.stirs() {
		begin := time.Now()
		p.tcpPort.Wait(d)
		p.patience = p.t.pace.learn(p.patience, time.Since(begin))
	}
	asleep.Store(awake)
}

// spin looks around for a moment, and reports whether something arrived. Whoever waits for releases asks the pool.
func (p *shmPort) spin() bool {
	for range p.t.pace.looks {
		if p.has() {
			return true
		}
	}
	return false
}

// yield lets others run who need this core. It is what a pause comes to.
func (p *shmPort) yield() {
	p.vain.pauses++
	if p.t.own.rung.Load() != 0 {
		p.t.answer()
	}
	p.yields++
	if p.yields%p.t.pace.ranks == 0 {
		runtime.Gosched()
	}
	if p.t.pace.processes > 0 && p.yields%p.t.pace.processes == 0 {
		p.t.pace.yield()
	}
}
