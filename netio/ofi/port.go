package ofi

import (
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// port is one rank's end of a [Way]. Its arriving frames join those of the rank's own process.
type port struct {
	w         *Way
	over      *local.Port
	rank      int
	far       far
	calls     uint32 // of Recv
	nothing   uint32 // of them, those that found nothing immediately
	paused    bool   // since its last look
	detours   uint64
	crossings uint64
}

func newPort(w *Way, over *local.Port, rank int) *port {
	p := &port{w: w, over: over, rank: rank}
	p.far.init(p)
	return p
}

var (
	_ way.Port     = (*port)(nil)
	_ way.OneSided = (*port)(nil)
)

// Far implements [way.OneSided].
func (p *port) Far(rest local.Far) local.Far {
	p.far.rest = rest
	return &p.far
}

// Memory implements [way.Port]. Only frames that are fetched need this way's memory.
func (p *port) Memory(n int) []byte {
	if n <= eagerMax+frame.HeaderRoom {
		return nil
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	mem := p.w.arena.alloc(n)
	if mem == nil {
		p.w.complain()
	}
	return mem
}

// Drop implements [way.Port].
func (p *port) Drop(f *netio.Frame) {
	if f.Cost() <= eagerMax+frame.HeaderRoom {
		return
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.arena.release(f.Inside(access).Memory)
}

// Gather implements [way.Port]. It does nothing: each look returns frames.
func (p *port) Gather() {}

// Send implements [way.Port]. It costs a copy of up to 16 KiB, and now and then a call of the fabric.
func (p *port) Send(f *netio.Frame) bool {
	w := p.w
	peer := w.peers[w.place.ProcessOf(int(f.To))]
	if peer == nil || peer.over.Load() {
		return false
	}
	w.mu.Lock()
	ok := !w.closed && !peer.over.Load() && peer.add(f)
	w.unlock()
	if ok {
		p.crossings++
		return true
	}
	p.detours++
	return false
}

// Recv implements [way.Port]. It looks when nothing else has arrived, and now and then when something has.
func (p *port) Recv() *netio.Frame {
	p.calls++
	if p.calls%inflight.PromptLookEvery == 0 {
		p.w.flush()
	} else if p.over.Has() {
		return nil
	} else if p.nothing++; !p.paused && p.nothing%idle.SocketLookEvery != 0 {
		return nil
	}
	p.paused = false
	p.w.poller.countLook()
	p.w.poll()
	p.far.settle()
	return nil
}

// Look implements [way.Port].
func (p *port) Look(times int) bool {
	p.paused = true
	p.w.flush()
	p.w.poller.countLook()
	for range (times + looksShare - 1) / looksShare {
		p.w.poll()
		if p.far.settle() || p.over.Has() {
			p.paused = false // the rank's answers leave before the next look
			return true
		}
	}
	return false
}

// looksShare is the number of looks at memory that take as long as one look at a fabric, or longer. Shorter spins would
// end before a sleep and its wake-up pay.
const looksShare = 8

// Announce implements [way.Port].
func (p *port) Announce() bool {
	some := p.Look(1)
	p.w.poller.parked()
	return some
}

// Leave implements [way.Port].
func (p *port) Leave() { p.w.poller.back() }
