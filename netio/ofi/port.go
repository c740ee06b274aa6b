package ofi

import (
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// port is one rank's end of a [Way]. What arrives for the rank is put where frames of its own process are.
type port struct {
	w         *Way
	over      *tcp.Port
	rank      int
	reach     reach
	calls     uint32 // of Recv
	nothing   uint32 // of them, those that found nothing at once
	paused    bool   // since it last looked
	detours   uint64
	crossings uint64
}

func newPort(w *Way, over *tcp.Port, rank int) *port {
	p := &port{w: w, over: over, rank: rank}
	p.reach.init(p)
	return p
}

var (
	_ tcp.WayPort = (*port)(nil)
	_ tcp.Reacher = (*port)(nil)
)

// Reach implements [tcp.Reacher].
func (p *port) Reach(rest local.Far) local.Far {
	p.reach.rest = rest
	return &p.reach
}

// Memory implements [tcp.WayPort]. Only frames that are fetched need memory of this way.
func (p *port) Memory(n int) []byte {
	if n <= eagerMax+frame.HeaderRoom {
		return nil
	}
	if !p.w.mu.Lock(byRank) {
		return nil
	}
	defer p.w.mu.Unlock()
	mem := p.w.arena.take(n)
	if mem == nil {
		p.w.complain()
	}
	return mem
}

// Drop implements [tcp.WayPort].
func (p *port) Drop(f *netio.Frame) {
	if f.Cost() <= eagerMax+frame.HeaderRoom || !p.w.mu.Lock(byRank) {
		return
	}
	defer p.w.mu.Unlock()
	p.w.arena.give(f.Inside(access).Memory)
}

// Gather implements [tcp.WayPort]: frames come back by themselves, when somebody looks.
func (p *port) Gather() {}

// Send implements [tcp.WayPort]. It costs a copy of up to 16 KiB, and now and then a call of the fabric.
func (p *port) Send(f *netio.Frame, process int) bool {
	w := p.w
	l := w.links[process]
	if l == nil || l.over.Load() || !w.mu.Lock(byRank) {
		return false
	}
	ok := !w.closed && !l.over.Load() && l.put(f)
	w.unlock()
	if ok {
		p.crossings++
		return true
	}
	p.detours++
	return false
}

// Recv implements [tcp.WayPort]. It looks when nothing else has arrived, and now and then when something has.
func (p *port) Recv() *netio.Frame {
	p.calls++
	if p.calls%inflight.PromptLookEvery == 0 {
		p.w.flush(byRank)
	} else if p.over.Has() {
		return nil
	} else if p.nothing++; !p.paused && p.nothing%idle.SocketLookEvery != 0 {
		return nil
	}
	p.paused = false
	p.w.sentry.relieve()
	p.w.poll(byRank)
	p.reach.settle()
	return nil
}

// Look implements [tcp.WayPort].
func (p *port) Look(times int) bool {
	p.paused = true
	p.w.flush(byRank)
	p.w.sentry.relieve()
	for range (times + looksShare - 1) / looksShare {
		p.w.poll(byRank)
		if p.reach.settle() || p.over.Has() {
			p.paused = false // what the rank makes of it leaves before the next look
			return true
		}
	}
	return false
}

// looksShare is how many looks at memory take as long as one at a fabric, or longer: shorter spins would be over before a sleep and its wake-up pay.
const looksShare = 8

// Announce implements [tcp.WayPort].
func (p *port) Announce() bool {
	some := p.Look(1)
	p.w.sentry.parked()
	return some
}

// Leave implements [tcp.WayPort].
func (p *port) Leave() { p.w.sentry.back() }
