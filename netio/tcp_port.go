package netio

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// tcpPort is the port of one rank of a TCP transport. Where sockets can be polled, the rank reads and writes them itself.
type tcpPort struct {
	*station
	t *TCP

	unsent   []*lane // that this rank has promised to flush
	promised []bool  // by lane: it is among unsent
	vain     int     // calls of Recv in a row that found nothing at once

	looks   atomic.Uint64 // how often the rank has looked at sockets; the sentry reads it
	looking sync.Mutex    // against the end of the transport
	events  [eventsMax]readiness
}

var _ Port = (*tcpPort)(nil)

func newTCPPort(t *TCP, s *station) *tcpPort {
	return &tcpPort{station: s, t: t, promised: make([]bool, len(t.lanes))}
}

// Send implements [Port]. The frame is written at once, by the caller, when it is a control frame or makes many together
// with others that wait; else when the rank next looks and finds nothing, pauses or waits, and within about a millisecond.
// Its cost is one atomic exchange, or the system call; where sockets can't be polled, the wake-up of a sleeping writer.
func (p *tcpPort) Send(f *Frame) {
	t, to := p.t, int(f.To)
	switch {
	case to >= t.place.Ranks:
		panic(fmt.Sprintf("netio: a frame is for rank %d, the job has %d", to, t.place.Ranks))
	case t.down.Load():
		f.Release()
	case t.place.has(to):
		t.stations[to-t.place.First].deliver(f)
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

// A rank that only yields keeps its processor busy, and the Go scheduler looks at connections when it finds nothing else to
// run, or every 10 ms. So where goroutines serve them, the rank parks every so many pauses until something arrives, but for
// a moment at most. Where the rank looks itself, it lets other processes run instead: their ranks may share its processor.
const (
	pausesBeforePark  = 16
	pausesBeforeYield = 4
	pauseMax          = time.Millisecond
)

// Recv implements [Port].
func (p *tcpPort) Recv() *Frame {
	p.t.owing.flushPrompt()
	if f := p.station.Recv(); f != nil {
		p.vain = 0
		return f
	}
	if p.t.sockets == nil {
		return nil
	}
	if p.vain++; p.vain > 1 {
		p.keepPromises()
	}
	if !p.look() {
		return nil
	}
	return p.station.Recv()
}

// look serves the sockets that are ready, of whichever ranks their frames are for.
func (p *tcpPort) look() bool {
	p.looks.Store(p.looks.Load() + 1)
	p.looking.Lock()
	defer p.looking.Unlock()
	return !p.t.ended.Load() && p.t.look(p.events[:])
}

// Wait implements [Port]. A rank that parks may be what others wait for: they are told first what it has released.
func (p *tcpPort) Wait(d time.Duration) {
	p.t.owing.flush()
	if p.t.sockets == nil {
		p.station.Wait(d)
		return
	}
	p.keepPromises()
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
		if p.pauses%pausesBeforePark == 0 && p.t.place.Processes > 1 {
			p.Wait(pauseMax)
			return
		}
	} else {
		p.keepPromises()
		if p.pauses%pausesBeforeYield == 0 {
			p.t.sockets.yield()
		}
	}
	p.t.owing.flushPrompt()
	p.station.Pause()
}
