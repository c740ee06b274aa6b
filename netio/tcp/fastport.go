package tcp

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// fastPort is the port of a rank that has faster ways than TCP to some processes, and keeps its pool.
type fastPort struct {
	*Port
	first  WayPort // of the ways
	ways   []WayPort
	aside  int // which of the other ways, or TCP, Recv looks at next
	policy *idle.Policy
	turns  uint32 // of Recv, which looks at the first way first or aside
	streak idle.Streak
	limit  int // spin limit: idle polls before the rank parks
	yields uint32
}

func newFastPort(p *Port, rank int) *fastPort {
	f := &fastPort{Port: p, policy: &p.t.policy, limit: p.t.policy.Max}
	for _, w := range p.t.ways {
		way := w.Port(rank)
		f.ways = append(f.ways, way)
		if r, ok := way.(Reacher); ok {
			p.reachBy(r)
		}
	}
	f.first = f.ways[0]
	p.Pool().Inside(access).SetKeeper(f)
	return f
}

// Memory implements [netio.Keeper].
func (p *fastPort) Memory(n int) []byte {
	for _, w := range p.ways {
		if mem := w.Memory(n); mem != nil {
			return mem
		}
	}
	return p.Port.Memory(n)
}

// Drop implements [netio.Keeper].
func (p *fastPort) Drop(f *netio.Frame) {
	for _, w := range p.ways {
		w.Drop(f)
	}
}

// Gather implements [netio.Keeper]: it takes in what others have told of the port's frames.
func (p *fastPort) Gather() {
	for _, w := range p.ways {
		w.Gather()
	}
}

// Send implements [netio.Port]. What no way has room for goes over TCP.
func (p *fastPort) Send(f *netio.Frame) {
	if to := int(f.To); to < p.t.place.Ranks && !p.t.place.Has(to) {
		process := p.t.place.ProcessOf(to)
		if p.first.Send(f, process) {
			return
		}
		for _, w := range p.ways[1:] {
			if w.Send(f, process) {
				return
			}
		}
	}
	p.Port.Send(f)
}

// Recv implements [netio.Port]. It costs a few loads when nothing has arrived.
func (p *fastPort) Recv() *netio.Frame {
	if p.turns++; p.turns%inflight.ReleaseLookEvery == 0 {
		p.Gather()
	}
	asideFirst := p.turns%2 == 0
	var f *netio.Frame
	if asideFirst {
		f = p.recvAside()
	}
	if f == nil {
		f = p.first.Recv()
	}
	if f == nil && !asideFirst {
		f = p.recvAside()
	}
	if f != nil {
		p.streak.End()
	}
	return f
}

// recvAside returns a frame that didn't come by the first way. The others take turns with TCP and the ranks of this process.
func (p *fastPort) recvAside() (f *netio.Frame) {
	for i := 0; f == nil && i < len(p.ways); i++ {
		if p.aside++; p.aside < len(p.ways) {
			f = p.ways[p.aside].Recv()
			continue
		}
		p.aside = 0
		if p.t.far || p.stirs() || p.turns/2%idle.LookAsideEvery == 0 {
			f = p.Port.Recv()
		} else {
			f = p.received()
		}
	}
	return f
}

// Wait implements [netio.Port]. The rank polls up to its spin limit before it parks. It looks for frames that came back as
// well: they may be what the rank waits for, and nobody wakes it for them before it says that it sleeps.
func (p *fastPort) Wait(d time.Duration) {
	if p.remote.flush() || p.Collect() {
		return
	}
	for !p.tired() && !p.Parking().Woken() {
		if p.spin() {
			return
		}
		p.yieldIdle()
		if p.streak.Polls%p.policy.CollectEvery == 0 && p.Collect() {
			p.streak.End()
			return
		}
	}
	p.park(d)
}

// Pause implements [netio.Port]. Many idle ones come to a short Wait.
func (p *fastPort) Pause() {
	p.flush()
	p.remote.flush()
	switch {
	case p.spin():
	case p.tired():
		p.park(idle.PauseMax)
	default:
		p.yieldIdle()
	}
}

// tired tells whether the rank has reached its spin limit, or polled for long.
func (p *fastPort) tired() bool {
	return p.streak.Polls >= p.limit || p.policy.Processes > 0 && p.streak.Long()
}

// park sleeps until somebody wakes the rank, and learns from how long that took.
func (p *fastPort) park(d time.Duration) {
	p.streak.End()
	p.Parking().BeforeAnnouncement()
	stirs := false
	for _, w := range p.ways {
		stirs = w.Announce() || stirs
	}
	if !stirs && !p.Has() {
		begin := idle.Now()
		p.Port.Wait(d)
		p.limit = p.policy.Learn(p.limit, idle.Now()-begin)
	}
	for _, w := range p.ways {
		w.Leave()
	}
}

// spin looks for a moment, and reports whether something arrived. Whoever waits for releases asks the pool.
func (p *fastPort) spin() bool {
	for _, w := range p.ways {
		if w.Look(p.policy.Looks) {
			return true
		}
	}
	return p.stirs() && p.lookAround() || p.Has()
}

// stirs tells whether sockets are worth each look: an operation is under way there, or something has come lately.
func (p *fastPort) stirs() bool { return p.t.sockets != nil && (p.remote.open > 0 || p.stirred > 0) }

// yieldIdle is an idle poll: it lets others run who need this core.
func (p *fastPort) yieldIdle() {
	p.streak.Polls++
	p.yields++
	if p.yields%p.policy.Ranks == 0 {
		runtime.Gosched()
	}
	if p.policy.Processes > 0 && p.yields%p.policy.Processes == 0 {
		p.policy.Yield()
	}
}
