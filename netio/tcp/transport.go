// Package tcp is the transport of a job whose processes reach each other over TCP: at most two connections for each
// pair of processes, with checksums, heartbeats, and acknowledgements of released frames.
package tcp

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// Transport is the transport of a job of several processes. Each pair of processes shares two connections: one for
// control frames and one for data, so that the former never wait behind the latter. All ranks of a process share them;
// frames between ranks of one process change hands without a copy. A connection is made at the start, or by its first
// frame, as Config.Connect sets.
//
// On Linux the ranks read and write the connections themselves, by calls that never block, so that no goroutine is
// woken for a frame. While they are parked or busy, one goroutine of the process serves all connections. On other
// systems, two goroutines serve each connection.
//
// A frame on the wire is 56 bytes of header and its payload; both carry CRC32C. They leave from, and are read into, the
// memory of a [netio.Frame]. A data frame stays lent at its sender until the receiving process acknowledges the release
// of its copy: in the header of a frame in the other direction, or with many others. So the frames that a process has
// received but not released are bounded by its peers' own limits, and connections are always read: no rank's frames
// hold up those of another. A control frame is released when it has been written.
//
// Operations on exposed memory that no faster transport has mapped travel as requests on the data stream. The goroutine
// that reads a request performs and answers it.
type Transport struct {
	config     Config
	place      netio.Place
	locals     []*local.Port // of this process's ranks
	ports      []*Port       // the same
	peers      peers
	sockets    sockets               // nil if goroutines serve the streams
	poller     poller                // of the sockets
	delayed    inflight.DelayedFlush // of data frames whose ranks are busy
	events     *events
	acks       ackList
	space      *exposed.Space
	remotes    atomic.Bool   // ranks have begun operations over TCP
	endings    atomic.Uint32 // of peers, since then
	connector  connector
	aborted    atomic.Bool
	spread     *spread
	pause      time.Duration  // longest time that a rank parks in a pause
	lost       atomic.Int64   // one more than the process that was lost first; 0 for none
	down       atomic.Bool    // aborted or closing: frames are dropped
	running    sync.WaitGroup // readers and writers
	background sync.WaitGroup // the poller and the pulse
	notes      atomic.Pointer[func(process int, note []byte)]
	ended      atomic.Bool   // looks at sockets have ended
	over       chan struct{} // closed then
	close      func() error
}

var (
	_ netio.Transport = (*Transport)(nil)
	_ netio.Noter     = (*Transport)(nil)
	_ netio.Connected = (*Transport)(nil)
)

func newTransport(c Config) *Transport {
	t := &Transport{config: c, events: newEvents(), over: make(chan struct{})}
	t.place = c.Place.OnHosts(hostsOf(c.Addresses))
	t.pause = idle.PauseFor(t.place.OnHost())
	t.locals = local.NewPorts(t.place)
	t.space = exposed.NewSpace(t.place.Process, local.Users(t.place), exposed.EntriesMax)
	t.peers.all = make([]atomic.Pointer[peer], t.place.Processes)
	for i, s := range t.locals {
		t.ports = append(t.ports, newPort(t, s, t.place.First+i))
	}
	t.connector.init(t)
	t.spread = t.newSpread()
	t.close = sync.OnceValue(t.shut)
	return t
}

// Name implements [netio.Transport].
func (t *Transport) Name() string {
	if t.Encrypted() {
		return "tcp+tls"
	}
	return "tcp"
}

// Encrypted reports whether connections are encrypted by TLS.
func (t *Transport) Encrypted() bool { return t.config.TLS }

// Place implements [netio.Transport].
func (t *Transport) Place() netio.Place { return t.place }

// Start implements [netio.Transport]. Failures since Dial are reported before Start returns. The errors are
// [*netio.LostError] and [*netio.AbortError], one for each peer, and none after this process has aborted or closed.
func (t *Transport) Start(failed func(error)) { t.events.start(failed) }

// Port implements [netio.Transport].
func (t *Transport) Port(rank int) netio.Port {
	if !t.place.Has(rank) {
		panic(fmt.Sprintf("netio: rank %d is not in this process, which has ranks %d-%d",
			rank, t.place.First, t.place.Last-1))
	}
	return t.ports[rank-t.place.First]
}

// Close implements [netio.Transport]. It waits for the goodbyes of all remaining peers, at most CloseLimit; after Abort
// only until the reason has left, at most a second. The error names peers that did not say goodbye; frames sent to them
// may not have arrived. Frames that arrive during Close are dropped.
func (t *Transport) Close() error { return t.close() }

// abortedCloseMax bounds Close after Abort.
const abortedCloseMax = time.Second

func (t *Transport) shut() error {
	limit := t.config.CloseLimit
	if t.aborted.Load() {
		limit = min(limit, abortedCloseMax)
	} else {
		t.connector.settle(limit)
	}
	t.down.Store(true)
	t.connector.stop()
	others := t.others()
	for _, p := range others {
		p.sayGoodbye(time.Now().Add(limit))
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
	for _, p := range others {
		causes = append(causes, p.close())
	}
	<-quiet
	for _, p := range others {
		leaks.Left("frames in flight over TCP", p.sent.table.Len())
	}
	t.shutSockets()
	err := errors.Join(causes...)
	if l := t.config.layer; l != nil {
		l.Shut(err == nil && !t.aborted.Load())
	}
	if err == nil && !t.aborted.Load() {
		t.space.Drop()
	}
	if err != nil && !t.aborted.Load() {
		return fmt.Errorf("close transport: %w", err)
	}
	return nil
}

// Under returns the transport's methods for faster transports over it.
func (t *Transport) Under(frame.Access) *under { return (*under)(t) }

// under has the transport's methods for faster transports over it.
type under Transport

var _ way.LifeLine = (*under)(nil)

// Ports implements [way.LifeLine].
func (t *under) Ports() []*local.Port { return t.locals }

// Offers returns those of another process, by the names of transports; nil for this one, and for those that were not
// connected at the start.
func (t *under) Offers(process int) map[string]handshake.Offer {
	if p := t.peers.all[process].Load(); p != nil {
		return p.offers
	}
	return nil
}

// WhenEnded registers f. It is called when a process will release no more frames, or at once if so, and maybe again.
func (t *under) WhenEnded(process int, f func()) { t.peer(process).sent.whenClosed(f) }

func (t *under) peer(process int) *peer { return (*Transport)(t).peer(process) }

// Space implements [way.LifeLine].
func (t *under) Space() *exposed.Space { return t.space }

// First implements [way.LifeLine].
func (t *under) First() <-chan error { return t.events.first }

// Tell implements [way.LifeLine].
func (t *under) Tell(err error) { t.events.report(err) }

// Lose implements [way.LifeLine].
func (t *under) Lose(process int, cause error) { t.peer(process).lose(cause) }

// Finished implements [way.LifeLine].
func (t *under) Finished(process int) bool {
	return t.peer(process).streams[controlStream].finished.Load()
}

// Kill ends the transport as the death of its process would, for tests: connections break without a goodbye.
func (t *under) Kill() {
	t.down.Store(true)
	t.connector.stop()
	t.aborted.Store(true) // its ranks may live, but report nothing
	for _, p := range (*Transport)(t).others() {
		p.end(nil)
	}
}

// events passes failures to the function given to [Transport.Start], and keeps them until then.
type events struct {
	mu     sync.Mutex
	failed func(error)
	kept   []error
	first  chan error // capacity 1: the first failure
}

func newEvents() *events { return &events{first: make(chan error, 1)} }

func (e *events) report(err error) {
	select {
	case e.first <- err:
	default:
	}
	e.mu.Lock()
	failed := e.failed
	if failed == nil {
		e.kept = append(e.kept, err)
	}
	e.mu.Unlock()
	if failed != nil {
		failed(err)
	}
}

func (e *events) start(failed func(error)) {
	e.mu.Lock()
	kept := e.kept
	e.failed, e.kept = failed, nil
	e.mu.Unlock()
	for _, err := range kept {
		failed(err)
	}
}
