package netio

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Shm is the transport of a job of several processes, some of which are on one host and share memory. Frames between
// these change hands without a copy: a rank's pool lends memory that the other processes see too, and what travels is a
// descriptor of two cache lines, in a ring that the receiving rank looks at itself. Frames of up to 80 bytes travel in it.
//
// A [TCP] connects all processes besides. It carries the frames between hosts, and those few that find no room in shared
// memory: when a ring is full, when a rank has 4,096 data frames under way, or when all shared memory is lent. Its
// connections are also the life line: when one ends, its process is gone.
//
// What comes out of shared memory is checked before it is used, as bytes from a connection are: a process that lies ends
// the job, with an error that names it. There is no checksum, for these bytes never leave the machine's memory.
type Shm struct {
	tcp    *TCP
	place  Place
	own    *region
	arena  arena
	bell   *os.File
	links  []*shmLink // by process; nil for this one and for those on other hosts
	far    bool       // there are processes on other hosts
	pace   pace
	ports  []*shmPort
	overs  atomic.Uint32 // links that are over
	closed atomic.Bool
	heard  sync.WaitGroup // listen
	close  func() error
}

var _ Transport = (*Shm)(nil)

// shmLink is another process of this host.
type shmLink struct {
	place  Place
	region *region
	lanes  []shmLane // to its ranks
	bell   bell
	over   atomic.Bool // nothing will be released there any more
}

// shmLane is this process's way to a rank of another.
type shmLane struct {
	ring    ring
	returns returns
	seen    atomic.Uint64 // slots that its rank has emptied, as far as is known here
}

// Name implements [Transport]. It is "shm+tcp" when some processes are on other hosts.
func (t *Shm) Name() string {
	if t.far {
		return "shm+tcp"
	}
	return "shm"
}

// Place implements [Transport].
func (t *Shm) Place() Place { return t.place }

// Start implements [Transport], with the errors of [TCP.Start].
func (t *Shm) Start(failed func(error)) { t.tcp.Start(failed) }

// Port implements [Transport].
func (t *Shm) Port(rank int) Port {
	t.tcp.Port(rank) // panics when it isn't here
	return t.ports[rank-t.place.First]
}

// Abort implements [Transport].
func (t *Shm) Abort(reason string) { t.tcp.Abort(reason) }

// Close implements [Transport], as [TCP.Close] does. The memory that was shared is given back; the addresses where it was
// stay mapped for as long as somebody has a frame or a port.
func (t *Shm) Close() error { return t.close() }

func (t *Shm) shut() error {
	t.closed.Store(true)
	err := t.tcp.Close()
	t.bell.Close()
	for _, l := range t.links {
		if l != nil {
			l.bell.file.Close()
		}
	}
	t.heard.Wait()
	for _, p := range t.ports {
		p.guests.late.Stop()
	}
	if err == nil && !t.tcp.aborted.Load() { // nobody reads it any more
		dropPages(t.own.arena)
	}
	return err
}

// linkTo is the link to a rank's process; nil when its frames go another way.
func (t *Shm) linkTo(rank int) *shmLink {
	if rank >= t.place.Ranks || t.place.has(rank) {
		return nil
	}
	if l := t.links[t.place.ProcessOf(rank)]; l != nil && !l.over.Load() {
		return l
	}
	return nil
}

// link is the link to a process, if there is one.
func (t *Shm) link(process int) *shmLink {
	if process >= len(t.links) {
		return nil
	}
	return t.links[process]
}

// endLink is told when a process will release nothing any more.
func (t *Shm) endLink(l *shmLink) {
	l.over.Store(true)
	t.overs.Add(1)
	for _, p := range t.ports {
		p.parking.wake()
	}
}

// lender is the port of this process whose pool has lent a frame; nil when it came from another process.
func (t *Shm) lender(f *Frame) *shmPort {
	for _, p := range t.ports {
		if p.pool == f.pool {
			return p
		}
	}
	return nil
}

// check refuses letters that make no sense, and returns the memory that one refers to.
func (t *Shm) check(l *letter) (mem []byte, err error) {
	if l.Kind != Control && l.Kind != Data {
		return nil, fmt.Errorf("unknown kind %#x", l.Kind)
	}
	from := t.linkOf(int(l.sender))
	if from == nil || !from.place.has(int(l.From)) {
		return nil, fmt.Errorf("from rank %d by rank %d", l.From, l.sender)
	}
	if l.inline {
		if l.Bytes > inlineMax {
			return nil, fmt.Errorf("%d bytes in a slot", l.Bytes)
		}
		return nil, nil
	}
	return from.region.memory(l.place, l.Bytes)
}

// linkOf is the link to a rank's process, even if it is over; nil when there is none.
func (t *Shm) linkOf(rank int) *shmLink {
	if rank >= t.place.Ranks {
		return nil
	}
	return t.links[t.place.ProcessOf(rank)]
}

// damaged ends the job: what a rank's process wrote into shared memory makes no sense.
func (t *Shm) damaged(sender int, what error) {
	err := fmt.Errorf("check frame in shared memory: %w: %w", ErrDamaged, what)
	if l := t.linkOf(sender); l != nil {
		t.tcp.peers[l.place.Process].lose(err)
		return
	}
	t.tcp.events.tell(err)
}

func (t *Shm) damagedReturn(process int, passage uint32) {
	err := fmt.Errorf("check release in shared memory: %w: nothing is under way by number %d", ErrDamaged, passage)
	if l := t.link(process); l != nil {
		t.tcp.peers[process].lose(err)
		return
	}
	t.tcp.events.tell(fmt.Errorf("%w, for process %d", err, process))
}

// tell returns the first n frames of a list to the rank that sent them.
func (t *Shm) tell(f *Frame, n int) {
	l := t.linkOf(int(f.sender))
	if t.closed.Load() || l.over.Load() {
		return
	}
	lane := &l.lanes[int(f.sender)-l.place.First]
	for first := lane.returns.draw(n); n > 0; n-- {
		lane.returns.put(first, t.place.Process, uint32(f.receipt))
		first++
		f = f.next
	}
	l.bell.call(lane.ring.desk)
}
