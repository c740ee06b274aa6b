package tcp

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// Port is the port of one rank of a TCP transport. If sockets can be polled, the rank reads and writes them itself.
type Port struct {
	*local.Port
	t *Transport

	remote   remote
	oneSided *local.OneSided

	unsent  []*stream // streams on which frames of this rank wait to be written
	listed  []bool    // by stream: it is among unsent
	pauses  uint32
	paused  bool // since it last looked
	streak  idle.Streak
	yield   func() // lets other processes run; tests replace it
	calls   uint32 // of Recv
	nothing uint32 // calls that found nothing at once
	fresh   int    // number of next looks at sockets that are worthwhile, since one found something

	looks   atomic.Uint64 // looks of Recv at sockets; the poller reads it
	looking sync.Mutex
	ended   bool // the transport has ended; guarded by looking
	events  [eventsMax]readiness
	hot     *stream // the only ready stream at the last look at all; guarded by looking
}

var _ netio.Port = (*Port)(nil)

func newPort(t *Transport, l *local.Port, rank int) *Port {
	p := &Port{Port: l, t: t, listed: make([]bool, streamCount*t.place.Processes), yield: cpu.Yield}
	p.remote = remote{t: t, rank: rank}
	p.oneSided = local.NewOneSided(rank, t.place, t.space, &p.remote)
	return p
}

// OneSided implements [netio.Port].
func (p *Port) OneSided() netio.OneSided { return p.oneSided }

// Send implements [netio.Port]. The caller writes the frame at once if it is a control frame, or if many bytes wait
// with it; otherwise when the rank next pauses or waits, and within about a millisecond. Its cost is one atomic
// exchange, or the system call; without polling, the wake-up of a sleeping writer.
func (p *Port) Send(f *netio.Frame) {
	t, to := p.t, int(f.To)
	switch {
	case to >= t.place.Ranks:
		panic(fmt.Sprintf("netio: a frame is for rank %d, the job has %d", to, t.place.Ranks))
	case t.down.Load():
		f.Release()
	case t.place.Has(to):
		p.Pass(f, t.locals[to-t.place.First])
	default:
		l := t.peer(t.place.ProcessOf(to)).streams[streamOf(f.Kind)]
		if l.send(f) && !p.listed[l.id] {
			p.listed[l.id] = true
			p.unsent = append(p.unsent, l)
		}
	}
}

// flush writes the streams on which frames of this rank wait.
func (p *Port) flush() {
	if len(p.unsent) == 0 {
		return
	}
	for _, l := range p.unsent {
		p.listed[l.id] = false
		l.flush()
	}
	p.unsent = p.unsent[:0]
}

// Recv implements [netio.Port].
func (p *Port) Recv() *netio.Frame {
	if p.calls++; p.t.sockets == nil || p.calls%inflight.PromptLookEvery == 0 {
		p.t.acks.flushPrompt()
	}
	if f := p.received(); f != nil || p.t.sockets == nil {
		if f == nil {
			p.remote.flush()
		}
		return f
	}
	p.remote.flush()
	if p.nothing++; !p.paused && p.nothing%idle.SocketLookEvery != 0 {
		return nil
	}
	p.paused = false
	if !p.lookOn() {
		return nil
	}
	return p.received()
}

// lookOn looks at sockets for a rank that goes on to look.
func (p *Port) lookOn() bool {
	looks := p.looks.Load() + 1
	p.looks.Store(looks)
	if p.look(looks%idle.AllSocketsEvery == 0) {
		p.fresh = idle.FreshLooks
		return true
	}
	p.fresh = max(0, p.fresh-1)
	return false
}

// received returns a frame that has come from a socket, or from a rank of this process.
func (p *Port) received() *netio.Frame {
	f := p.Port.Recv()
	for f != nil && f.Kind == answer {
		p.remote.answered(f)
		f.Release()
		p.streak.End()
		f = p.Port.Recv()
	}
	if f != nil {
		p.streak.End()
	}
	return f
}

// look serves the sockets that are ready, for all ranks: all sockets, or only the hot one, which saves a system call if
// something has arrived. It reports whether it served any.
func (p *Port) look(all bool) bool {
	p.looking.Lock()
	defer p.looking.Unlock()
	switch {
	case p.ended:
		return false
	case p.hot != nil && !all:
		return p.hot.readable()
	}
	n, served := p.t.look(p.events[:])
	if n > 0 {
		p.hot = nil
	}
	if n == 1 && p.events[0].read && p.t.place.Processes == 2 { // of many processes, any may be the next to write
		p.hot = p.t.stream(p.events[0].number)
	}
	return served
}

// endLooks ends this rank's looks at sockets, and waits for a running one.
func (p *Port) endLooks() {
	p.looking.Lock()
	defer p.looking.Unlock()
	p.ended = true
}

// Wait implements [netio.Port]. Other ranks may wait for frames that this rank has released, so pending
// acknowledgements leave before it parks.
func (p *Port) Wait(d time.Duration) {
	if p.remote.flush() {
		return
	}
	if p.t.sockets == nil {
		p.t.acks.flush()
		p.Port.Wait(d)
		return
	}
	p.flush() // may take pending acknowledgements along
	p.t.acks.flush()
	if p.look(true) {
		return
	}
	s := &p.t.poller
	if s.awake.Add(-1) == 0 {
		s.parking.Notify()
	}
	p.Port.Wait(d)
	s.awake.Add(1)
}

// Pause implements [netio.Port].
func (p *Port) Pause() {
	p.pauses++
	p.remote.flush()
	if p.t.sockets == nil {
		p.pauseServed()
		return
	}
	p.paused = true
	p.flush()
	p.t.acks.flushPrompt()
	if p.streak.Long() {
		p.streak.End()
		p.Wait(p.t.pause)
		return
	}
	p.streak.Polls++
	if p.pauses%idle.CoreYieldEvery == 0 {
		p.yield()
	}
	if p.pauses%idle.SchedYieldEvery == 0 || p.t.poller.crowded() {
		p.Port.Pause()
	}
}

func (p *Port) pauseServed() {
	if p.pauses%idle.ParkEvery == 0 && p.t.place.Processes > 1 {
		p.Wait(p.t.pause)
		return
	}
	p.t.acks.flushPrompt()
	p.Port.Pause()
}

// Inside returns the port's methods for the multiplexer.
func (p *Port) Inside(frame.Access) *insidePort { return (*insidePort)(p) }

// insidePort has a port's methods for the multiplexer. All but Through are for the rank's goroutine.
type insidePort Port

// Through replaces the rank's access to memory that is not mapped from this host by far's result, given the access over
// TCP. It is called before the first use.
func (p *insidePort) Through(far func(local.Far) local.Far) {
	p.oneSided = local.NewOneSided(p.remote.rank, p.t.place, p.t.space, far(&p.remote))
}

// Received returns a frame that has come from a socket, or from a rank of this process. It looks at no socket.
func (p *insidePort) Received() *netio.Frame { return (*Port)(p).received() }

// Active reports whether each look at sockets is worthwhile: an operation is in flight there, or one has lately found
// something.
func (p *insidePort) Active() bool { return p.t.sockets != nil && (p.remote.open > 0 || p.fresh > 0) }

// Look serves the sockets that are ready, and reports whether any was.
func (p *insidePort) Look() bool { return (*Port)(p).lookOn() }

// Looks returns the number of the rank's looks at sockets.
func (p *insidePort) Looks() uint64 { return p.looks.Load() }

// Flush writes the streams on which frames of this rank wait.
func (p *insidePort) Flush() { (*Port)(p).flush() }

// FlushRequests lets operations leave, and reports whether some have ended.
func (p *insidePort) FlushRequests() bool { return p.remote.flush() }
