package netio

import (
	"fmt"
	"time"
)

// tcpPort is the port of one rank of a TCP transport.
type tcpPort struct {
	*station
	t *TCP
}

var _ Port = tcpPort{}

// Send implements [Port]. Its cost is one atomic exchange, and a wake-up when the writer of the connection sleeps.
func (p tcpPort) Send(f *Frame) {
	t, to := p.t, int(f.To)
	switch {
	case to >= t.place.Ranks:
		panic(fmt.Sprintf("netio: a frame is for rank %d, the job has %d", to, t.place.Ranks))
	case t.down.Load():
		f.Release()
	case t.place.has(to):
		t.stations[to-t.place.First].deliver(f)
	default:
		t.peers[t.place.ProcessOf(to)].lanes[laneOf(f.Kind)].out.put(f)
	}
}

// A rank that only yields keeps its processor busy, and the Go scheduler looks at sockets when it finds nothing else to
// run, or every 10 ms. So every so many pauses the rank parks until something arrives, but for a moment at most.
const (
	pausesBeforePark = 16
	pauseMax         = time.Millisecond
)

// Recv implements [Port].
func (p tcpPort) Recv() *Frame {
	p.t.owing.flushPrompt()
	return p.station.Recv()
}

// Wait implements [Port]. A rank that parks may be what others wait for: they are told first what it has released.
func (p tcpPort) Wait(d time.Duration) {
	p.t.owing.flush()
	p.station.Wait(d)
}

// Pause implements [Port].
func (p tcpPort) Pause() {
	p.pauses++
	if p.pauses%pausesBeforePark == 0 && p.t.place.Processes > 1 {
		p.Wait(pauseMax)
		return
	}
	p.t.owing.flushPrompt()
	p.station.Pause()
}
