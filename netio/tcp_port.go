package netio

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// tcpPort is the port of one rank of a TCP transport. Where sockets can be polled, the rank reads and writes them itself.
type tcpPort struct {
	*station
	t *TCP

	unsent   []*lane // that this rank has promised to flush
	promised []bool  // by lane: it is among unsent
	paused   bool    // since it last looked
	idle     vain
	yield    func() // lets other processes run; tests replace it
	calls    uint32 // of Recv
	vain     uint32 // of them, those that found nothing at once

	looks   atomic.Uint64 // how often Recv has looked at sockets; the sentry reads it
	looking sync.Mutex
	blind   bool // the transport has ended; guarded by looking
	events  [eventsMax]readiness
}

var _ Port = (*tcpPort)(nil)

func newTCPPort(t *TCP, s *station) *tcpPort {
	return &tcpPort{station: s, t: t, promised: make([]bool, len(t.lanes)), yield: cpu.Yield}
}

// Send implements [Port]. The frame is written at once, by the caller, when it is a control frame or makes many together
// with others that wait; else when the rank next pauses or waits, and within about a millisecond.
// Its cost is one atomic exchange, or the system call; where sockets can't be polled, the wake-up of a sleeping writer.
func (p *tcpPort) Send(f *Frame) {
	t, to := p.t, int(f.To)
	switch {
	case to >= t.place.Ranks:
		panic(fmt.Sprintf("netio: a frame is for rank %d, the job has %d", to, t.place.Ranks))
	case t.down.Load():
		f.Release()
	case t.place.has(to):
		p.pass(f, t.stations[to-t.place.First])
	default:
		l := t.peers[t.place.ProcessOf(to)].lanes[laneOf(f.Kind)]
		if l.put(f) {
			p.promise(l)
		}
	}
}

func (p *tcpPort) promise(l *lane) {
	if !p.promised[l.id] {
		p.promised[l.id] = true
		p.unsent = append(p.unsent, l)
	}
}

// keepPromises writes what this rank's frames wait for.
func (p *tcpPort) keepPromises() {
	if len(p.unsent) == 0 {
		return
	}
	for _, l := range p.unsent {
		p.promised[l.id] = false
		l.flush()
	}
	p.unsent = p.unsent[:0]
}

// A rank that only yields keeps its processor busy. Where goroutines serve connections, the Go scheduler looks at these when
// it finds nothing else to run, or every 10 ms: so every so many pauses the rank parks until something arrives, but for a
// moment at most.
//
// Where the rank looks itself, it lets other processes run now and then, whose ranks may share its processor. Other
// goroutines of its own have processors unless ranks take all: to let them run costs the wake-up of a thread each time,
// which looks for something to do, and finds this rank.
const (
	pausesBeforePark  = 16
	pauseMax          = time.Millisecond
	pausesBeforeCore  = 4
	pausesBeforeSched = 32
)

// A rank that does not pause between looks for frames is busy: it sends. So that it reads and acknowledges many frames at a
// time, only some of its looks are also for sockets.
const (
	vainBeforeLook    = 8
	callsBeforePrompt = 16
)

// Recv implements [Port].
func (p *tcpPort) Recv() *Frame {
	if p.calls++; p.t.sockets == nil || p.calls%callsBeforePrompt == 0 {
		p.t.owing.flushPrompt()
	}
	if f := p.received(); f != nil || p.t.sockets == nil {
		return f
	}
	if p.vain++; !p.paused && p.vain%vainBeforeLook != 0 {
		return nil
	}
	p.paused = false
	p.looks.Store(p.looks.Load() + 1)
	if !p.look() {
		return nil
	}
	return p.received()
}

// received returns a frame that has come from a socket, or from a rank of this process.
func (p *tcpPort) received() *Frame {
	f := p.station.Recv()
	if f != nil {
		p.idle.end()
	}
	return f
}

// look serves the sockets that are ready, of whichever ranks their frames are for.
func (p *tcpPort) look() bool {
	p.looking.Lock()
	defer p.looking.Unlock()
	return !p.blind && p.t.look(p.events[:])
}

// blindfold returns when this rank looks at sockets no more.
func (p *tcpPort) blindfold() {
	p.looking.Lock()
	defer p.looking.Unlock()
	p.blind = true
}

// Wait implements [Port]. A rank that parks may be what others wait for: they are told first what it has released.
func (p *tcpPort) Wait(d time.Duration) {
	if p.t.sockets == nil {
		p.t.owing.flush()
		p.station.Wait(d)
		return
	}
	p.keepPromises() // may take with it what is owed
	p.t.owing.flush()
	if p.look() {
		return
	}
	s := &p.t.sentry
	if s.awake.Add(-1) == 0 {
		s.parking.notify()
	}
	p.station.Wait(d)
	s.awake.Add(1)
}

// Pause implements [Port].
func (p *tcpPort) Pause() {
	p.pauses++
	if p.t.sockets == nil {
		p.pauseServed()
		return
	}
	p.paused = true
	p.keepPromises()
	p.t.owing.flushPrompt()
	if p.idle.long() {
		p.idle.end()
		p.Wait(pauseMax)
		return
	}
	p.idle.pauses++
	if p.pauses%pausesBeforeCore == 0 {
		p.yield()
	}
	if p.pauses%pausesBeforeSched == 0 || p.t.sentry.crowded() {
		p.station.Pause()
	}
}

func (p *tcpPort) pauseServed() {
	if p.pauses%pausesBeforePark == 0 && p.t.place.Processes > 1 {
		p.Wait(pauseMax)
		return
	}
	p.t.owing.flushPrompt()
	p.station.Pause()
}
