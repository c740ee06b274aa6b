// Package shm is the transport of a job with several processes on one host: they exchange frames through memory that they share.
// Processes on other hosts are reached by package netio/tcp, which connects all processes besides and tells when one is lost.
package shm

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/idle"
	"github.com/activepebbles/pebbles/internal/local"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Transport is the transport of a job of several processes, some of which are on one host and share memory. Frames between
// these change hands without a copy: a rank's pool lends memory that the other processes see too, and what travels is a
// descriptor of two cache lines, in a ring that the receiving rank looks at itself. Frames of up to 80 bytes travel in it.
//
// A [tcp.Transport] connects all processes besides. It carries the frames between hosts, and those few that find no room in shared
// memory: when a ring is full, when a rank has 4,096 data frames under way, or when all shared memory is lent. Its
// connections are also the life line: when one ends, its process is gone.
//
// What comes out of shared memory is checked before it is used, as bytes from a connection are: a process that lies ends
// the job, with an error that names it. There is no checksum, for these bytes never leave the machine's memory.
type Transport struct {
	tcp    *tcp.Transport
	place  netio.Place
	own    *region
	arena  arena
	event  *os.File // eventfd of this process
	links  []*link  // by process; nil for this one and for those on other hosts
	far    bool     // there are processes on other hosts
	policy idle.Policy
	ports  []*port
	ended  atomic.Uint32 // links that are over
	closed atomic.Bool
	heard  sync.WaitGroup // listen
	close  func() error
}

var _ netio.Transport = (*Transport)(nil)

// link is another process of this host.
type link struct {
	place  netio.Place
	region *region
	lanes  []lane // to its ranks
	event  eventfd
	over   atomic.Bool // nothing will be released there any more
}

// lane is this process's way to a rank of another.
type lane struct {
	ring     local.Ring
	releases releases
	head     atomic.Uint64 // slots that its rank has emptied, as far as is known here
}

// Name implements [netio.Transport]. It is "shm+tcp" when some processes are on other hosts.
func (t *Transport) Name() string {
	if t.far {
		return "shm+tcp"
	}
	return "shm"
}

// Place implements [netio.Transport].
func (t *Transport) Place() netio.Place { return t.place }

// Start implements [netio.Transport], with the errors of [tcp.Transport.Start].
func (t *Transport) Start(failed func(error)) { t.tcp.Start(failed) }

// Port implements [netio.Transport].
func (t *Transport) Port(rank int) netio.Port {
	t.tcp.Port(rank) // panics when it isn't here
	return t.ports[rank-t.place.First]
}

// Abort implements [netio.Transport].
func (t *Transport) Abort(reason string) { t.tcp.Abort(reason) }

// Close implements [netio.Transport], as [tcp.Transport.Close] does. The memory that was shared is given back; the addresses where it was
// stay mapped for as long as somebody has a frame or a port.
func (t *Transport) Close() error { return t.close() }

func (t *Transport) shut() error {
	t.closed.Store(true)
	err := t.tcp.Close()
	t.event.Close()
	for _, l := range t.links {
		if l != nil {
			l.event.file.Close()
		}
	}
	t.heard.Wait()
	for _, p := range t.ports {
		p.received.late.Stop()
	}
	if err == nil && !t.tcp.Under(access).Aborted() { // nobody reads it any more
		dropPages(t.own.arena)
	}
	return err
}

// linkTo is the link to a rank's process; nil when its frames go another way.
func (t *Transport) linkTo(rank int) *link {
	if rank >= t.place.Ranks || t.place.Has(rank) {
		return nil
	}
	if l := t.links[t.place.ProcessOf(rank)]; l != nil && !l.over.Load() {
		return l
	}
	return nil
}

// link is the link to a process, if there is one.
func (t *Transport) link(process int) *link {
	if process >= len(t.links) {
		return nil
	}
	return t.links[process]
}

// endLink is told when a process will release nothing any more.
func (t *Transport) endLink(l *link) {
	l.over.Store(true)
	t.ended.Add(1)
	for _, p := range t.ports {
		p.Wake()
	}
}

// lender is the port of this process whose pool has lent a frame; nil when it came from another process.
func (t *Transport) lender(f *netio.Frame) *port {
	for _, p := range t.ports {
		if p.Pool() == f.Inside(access).Pool {
			return p
		}
	}
	return nil
}

// check refuses descriptors that make no sense, and returns the memory that one refers to.
func (t *Transport) check(l *local.Descriptor) (mem []byte, err error) {
	if l.Kind != netio.Control && l.Kind != netio.Data {
		return nil, fmt.Errorf("unknown kind %#x", l.Kind)
	}
	from := t.linkOf(int(l.Sender))
	if from == nil || !from.place.Has(int(l.From)) {
		return nil, fmt.Errorf("from rank %d by rank %d", l.From, l.Sender)
	}
	if l.Inline {
		if l.Bytes > frame.InlineMax {
			return nil, fmt.Errorf("%d bytes in a slot", l.Bytes)
		}
		return nil, nil
	}
	return from.region.memory(l.Location, l.Bytes)
}

// linkOf is the link to a rank's process, even if it is over; nil when there is none.
func (t *Transport) linkOf(rank int) *link {
	if rank >= t.place.Ranks {
		return nil
	}
	return t.links[t.place.ProcessOf(rank)]
}

// damaged ends the job: what a rank's process wrote into shared memory makes no sense.
func (t *Transport) damaged(sender int, what error) {
	err := fmt.Errorf("check frame in shared memory: %w: %w", netio.ErrDamaged, what)
	if l := t.linkOf(sender); l != nil {
		t.tcp.Under(access).Lose(l.place.Process, err)
		return
	}
	t.tcp.Under(access).Tell(err)
}

func (t *Transport) damagedRelease(process int, n frame.Number) {
	err := fmt.Errorf("check release in shared memory: %w: nothing is under way by number %d", netio.ErrDamaged, n)
	if l := t.link(process); l != nil {
		t.tcp.Under(access).Lose(process, err)
		return
	}
	t.tcp.Under(access).Tell(fmt.Errorf("%w, for process %d", err, process))
}

// tell tells the rank that sent them that the first n frames of a list were released.
func (t *Transport) tell(f *netio.Frame, n int) {
	sender := int(f.Inside(access).Sender)
	l := t.linkOf(sender)
	if t.closed.Load() || l.over.Load() {
		return
	}
	to := &l.lanes[sender-l.place.First]
	for first := to.releases.reserve(n); n > 0; n-- {
		in := f.Inside(access)
		to.releases.put(first, t.place.Process, in.Received)
		first++
		f = in.Next
	}
	l.event.wake(to.ring.Header)
}
