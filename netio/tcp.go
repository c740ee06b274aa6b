package netio

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// TCP is the transport of a job of several processes. Each pair of processes shares two connections: one for control
// frames and one for data, so that the former never wait behind the latter. All ranks of a process share them; frames
// between ranks of one process change hands without a copy.
//
// On Linux the ranks read and write the connections themselves, by calls that never block, so that no goroutine is woken
// for a frame. While they are parked or busy, one goroutine of the process looks after all connections. Elsewhere two
// goroutines serve each connection.
//
// A frame on the wire is 52 bytes of header and its payload; both carry CRC32C. They leave from, and are read into, the
// memory of a [Frame]. A data frame stays lent at its sender until the receiving process acknowledges that its copy was
// released; acknowledgements travel many at a time, and with frames where some go the other way. So what a process has
// received and not yet released is bounded by what its peers let themselves lend, and connections are always read: no
// rank's frames hold up those of another. A control frame is given back when it has been written.
type TCP struct {
	config   TCPConfig
	place    Place
	stations []*station // of this process's ranks
	ports    []*tcpPort // the same
	peers    []*tcpPeer // by process; nil for this one
	lanes    []*lane    // of all peers
	sockets  sockets    // nil where goroutines serve the lanes
	sentry   sentry     // of the sockets
	promises promises
	events   *events
	owing    owing
	aborted  atomic.Bool
	down     atomic.Bool    // aborted or closing: frames are dropped
	running  sync.WaitGroup // readers and writers
	lookouts sync.WaitGroup // the sentry and the pulse
	ended    atomic.Bool    // sockets are not looked at any more
	over     chan struct{}  // closed then
	close    func() error
}

var _ Transport = (*TCP)(nil)

func newTCP(c TCPConfig) *TCP {
	t := &TCP{config: c, place: c.Place, events: newEvents(), over: make(chan struct{})}
	t.stations = newStations(t.place)
	t.peers = make([]*tcpPeer, t.place.Processes)
	for i := range t.peers {
		if i != t.place.Process {
			t.peers[i] = newPeer(t, i)
		}
	}
	for _, s := range t.stations {
		t.ports = append(t.ports, newTCPPort(t, s))
	}
	t.close = sync.OnceValue(t.shut)
	return t
}

// Name implements [Transport].
func (t *TCP) Name() string { return "tcp" }

// Place implements [Transport].
func (t *TCP) Place() Place { return t.place }

// Start implements [Transport]. What has happened since DialTCP is told before Start returns. The errors are
// [*LostError] and [*AbortError]; each peer is told of once, and none after this process has aborted or closed.
func (t *TCP) Start(failed func(error)) { t.events.start(failed) }

// Port implements [Transport].
func (t *TCP) Port(rank int) Port {
	if !t.place.has(rank) {
		panic(fmt.Sprintf("netio: rank %d is not in this process, which has ranks %d-%d", rank, t.place.First, t.place.Last-1))
	}
	return t.ports[rank-t.place.First]
}

// Abort implements [Transport]. The reason is cut to 4 KiB.
func (t *TCP) Abort(reason string) {
	if t.aborted.Swap(true) {
		return
	}
	t.down.Store(true)
	reason = reason[:min(len(reason), reasonBytesMax)]
	for _, p := range t.peers {
		if p != nil {
			p.underWay.close() // nobody counts on acknowledgements any more
			p.lanes[controlLane].put(message(abort, reason))
		}
	}
}

// Close implements [Transport]. It waits for the goodbyes of all peers that are still there, at most CloseLimit; after
// Abort only for the reason to leave, at most a second. The error names peers that did not say goodbye; what this
// process had sent to them may not have arrived. Frames that arrive during Close are dropped.
func (t *TCP) Close() error { return t.close() }

// abortedCloseMax bounds Close after Abort.
const abortedCloseMax = time.Second

func (t *TCP) shut() error {
	t.down.Store(true)
	limit := t.config.CloseLimit
	if t.aborted.Load() {
		limit = min(limit, abortedCloseMax)
	}
	for _, p := range t.peers {
		if p != nil {
			p.sayGoodbye(time.Now().Add(limit))
		}
	}
	quiet := make(chan struct{})
	go func() {
		t.running.Wait()
		close(quiet)
	}()
	limited := time.NewTimer(limit)
	defer limited.Stop()
	select {
	case <-quiet:
	case <-limited.C:
	}
	var causes []error
	for _, p := range t.peers {
		if p != nil {
			causes = append(causes, p.close())
		}
	}
	<-quiet
	t.shutSockets()
	if err := errors.Join(causes...); err != nil && !t.aborted.Load() {
		return fmt.Errorf("close transport: %w", err)
	}
	return nil
}
