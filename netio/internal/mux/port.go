package mux

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/way"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// port is the port of a rank with ways that are faster than TCP to some processes. It is the keeper of the rank's pool.
type port struct {
	*tcp.Port
	t      *Transport
	place  netio.Place
	first  way.Port // first of the ways
	ways   []way.Port
	turn   int // next of the other ways, or TCP, for Recv
	policy *idle.Policy
	turns  uint32 // of Recv, which alternates between the first way and the others
	streak idle.Streak
	limit  int // spin limit: idle polls before the rank parks
	yields uint32
}

func newPort(t *Transport, rank int) *port {
	over := t.Transport.Port(rank).(*tcp.Port)
	p := &port{Port: over, t: t, place: t.Place(), policy: &t.policy, limit: t.policy.Max}
	for _, w := range t.ways {
		one := w.Port(rank)
		p.ways = append(p.ways, one)
		if o, ok := one.(way.OneSided); ok {
			over.Inside(access).Through(o.Far)
		}
	}
	p.first = p.ways[0]
	p.Pool().Inside(access).SetKeeper(p)
	return p
}

// Memory implements [netio.Keeper].
func (p *port) Memory(n int) []byte {
	for _, w := range p.ways {
		if mem := w.Memory(n); mem != nil {
			return mem
		}
	}
	return p.Port.Memory(n)
}

// Drop implements [netio.Keeper].
func (p *port) Drop(f *netio.Frame) {
	for _, w := range p.ways {
		w.Drop(f)
	}
}

// Gather implements [netio.Keeper]. It collects the releases of the port's frames.
func (p *port) Gather() {
	for _, w := range p.ways {
		w.Gather()
	}
}

// Send implements [netio.Port]. A frame goes over TCP if no way has room.
func (p *port) Send(f *netio.Frame) {
	if to := int(f.To); to < p.place.Ranks && !p.place.Has(to) {
		if p.first.Send(f) {
			return
		}
		for _, w := range p.ways[1:] {
			if w.Send(f) {
				return
			}
		}
	}
	p.Port.Send(f)
}

// Recv implements [netio.Port]. It costs a few loads when nothing has arrived.
func (p *port) Recv() *netio.Frame {
	if p.turns++; p.turns%inflight.ReleaseLookEvery == 0 {
		p.Gather()
	}
	othersFirst := p.turns%2 == 0
	var f *netio.Frame
	if othersFirst {
		f = p.recvOther()
	}
	if f == nil {
		f = p.first.Recv()
	}
	if f == nil && !othersFirst {
		f = p.recvOther()
	}
	if f != nil {
		p.streak.End()
	}
	return f
}

// recvOther returns a frame from outside the first way. The others take turns with TCP and the ranks of this process.
func (p *port) recvOther() (f *netio.Frame) {
	for i := 0; f == nil && i < len(p.ways); i++ {
		if p.turn++; p.turn < len(p.ways) {
			f = p.ways[p.turn].Recv()
			continue
		}
		p.turn = 0
		if p.t.far || p.active() || p.turns/2%idle.LookAsideEvery == 0 {
			f = p.Port.Recv()
		} else {
			f = p.Inside(access).Received()
		}
	}
	return f
}

// Wait implements [netio.Port]. The rank polls up to its spin limit before it parks. It also looks for returned frames:
// it may need them, and before it announces its sleep nothing wakes it for them.
func (p *port) Wait(d time.Duration) {
	if p.Inside(access).FlushRequests() || p.Collect() {
		return
	}
	for !p.spunEnough() && !p.Parking().Woken() {
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

// Pause implements [netio.Port]. Many idle pauses amount to a short Wait.
func (p *port) Pause() {
	p.Inside(access).Flush()
	p.Inside(access).FlushRequests()
	switch {
	case p.spin():
	case p.spunEnough():
		p.park(p.policy.Pause)
	default:
		p.yieldIdle()
	}
}

// spunEnough reports whether the rank has reached its spin limit, or polled for long.
func (p *port) spunEnough() bool {
	return p.streak.Polls >= p.limit || p.policy.Processes > 0 && p.streak.Long()
}

// park sleeps until the rank is woken, and adapts the spin limit to the time of the sleep.
func (p *port) park(d time.Duration) {
	p.streak.End()
	p.Parking().BeforeAnnouncement()
	news := false
	for _, w := range p.ways {
		news = w.Announce() || news
	}
	if !news && !p.Has() {
		begin := idle.Now()
		p.Port.Wait(d)
		p.limit = p.policy.Learn(p.limit, idle.Now()-begin)
	}
	for _, w := range p.ways {
		w.Leave()
	}
}

// spin looks for a moment and reports whether something arrived. A rank that waits for releases asks the pool.
func (p *port) spin() bool {
	for _, w := range p.ways {
		if w.Look(p.policy.Looks) {
			return true
		}
	}
	return p.active() && p.Inside(access).Look() || p.Has()
}

// active reports whether each look should include the sockets.
func (p *port) active() bool { return p.Inside(access).Active() }

// yieldIdle counts an idle poll, and yields the core to others.
func (p *port) yieldIdle() {
	p.streak.Polls++
	p.yields++
	if p.yields%p.policy.Ranks == 0 {
		runtime.Gosched()
	}
	if p.policy.Processes > 0 && p.yields%p.policy.Processes == 0 {
		p.policy.Yield()
	}
}
