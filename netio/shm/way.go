// Package shm is the faster way between the processes of one host: they exchange frames through memory that they share.
// Package netio/tcp connects all processes besides, and tells when one is lost.
package shm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// Way is the way between processes of one host that share memory. A rank's pool lends memory that the other processes
// see too, so frames change hands without a copy. What travels is a descriptor of two cache lines, in a ring that the
// receiving rank looks at itself. Frames of up to 80 bytes travel in it.
//
// There is no room when a ring is full, when a rank has 4,096 data frames in flight, or when all shared memory is lent.
//
// What comes out of shared memory is checked before it is used, as bytes from a connection are: a process that lies
// ends the job, with an error that names it. There is no checksum, for these bytes never leave the machine's memory.
type Way struct {
	meeting *meeting
	offer   handshake.Offer
	all     bool // the job can't do without
	line    way.LifeLine
	place   netio.Place
	own     *region
	memory  *os.File // of the region, until all have met
	exposed *os.File // of the segment, until then
	segment *exposed.Segment
	see     func(*os.File) ([]byte, error) // maps the exposed memory of another process
	arena   arena
	event   *os.File // eventfd of this process
	peers   []*peer  // by process; nil for this one and for those on other hosts
	ports   []*port
	ended   atomic.Uint32  // peers that are over
	heard   sync.WaitGroup // listen
}

// peer is another process of this host.
type peer struct {
	place   netio.Place
	region  *region
	segment *exposed.Segment // its exposed memory; nil unless each end has mapped the other one's
	ranks   []remoteRank     // to its ranks
	event   eventfd
	over    atomic.Bool // nothing will be released there any more
}

// remoteRank is this process's way to a rank of another.
type remoteRank struct {
	ring     local.Ring
	releases releases
	head     atomic.Uint64 // slots that its rank has emptied, as far as is known here
}

// Open opens the way, with a socket under a name that is not in the file system. When all must share memory, an error
// says why some can't; else there is no way then.
func Open(c *way.Config, all bool) ([]way.Way, error) {
	w := &Way{all: all, place: c.Place, see: openMemory, peers: make([]*peer, c.Place.Processes)}
	err := w.open(c)
	if err == nil {
		return []way.Way{w}, nil
	}
	w.giveBack()
	if all {
		return nil, fmt.Errorf("share memory: %w; use transport %s", err, "tcp")
	}
	c.Log.Info("no shared memory", "error", err)
	return nil, nil
}

func (w *Way) open(c *way.Config) (err error) {
	if w.offer.Place, err = thisHost(); err != nil {
		return err
	}
	if w.own, w.memory, err = newRegion(c.Place); err != nil {
		return err
	}
	if w.event, err = newEventfd(); err != nil {
		return err
	}
	if w.segment, w.exposed, err = newSegment(c.Place); err != nil {
		return err
	}
	random := make([]byte, 16)
	rand.Read(random)
	w.offer.Address = "@pebbles-" + hex.EncodeToString(random)
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: w.offer.Address, Net: "unix"})
	if err != nil {
		return err
	}
	w.arena.mem = w.own.arena
	w.meeting = newMeeting(c, w, socket)
	return nil
}

// Name implements [way.Way].
func (w *Way) Name() string { return "shm" }

// Offer implements [way.Way].
func (w *Way) Offer() handshake.Offer { return w.offer }

// Local implements [way.Way].
func (w *Way) Local() bool { return true }

// OnHost implements [way.Way].
func (w *Way) OnHost(int) bool { return true }

// LooksAtMemory implements [way.Way].
func (w *Way) LooksAtMemory() bool { return true }

// Port implements [way.Way].
func (w *Way) Port(rank int) way.Port { return w.ports[rank-w.place.First] }

// Meet implements [way.Way].
func (w *Way) Meet(ctx context.Context, line way.LifeLine, addresses map[int]string) error {
	defer w.meeting.close()
	if w.all && len(addresses)+1 < w.place.Processes {
		return fmt.Errorf("share memory with %s: not on this host, or of another user, network or container; "+
			"use transport %s or %s",
			w.meeting.strangers(addresses), "auto", "tcp")
	}
	if len(addresses) == 0 {
		w.giveBack()
		return nil
	}
	if err := w.meeting.meet(ctx, line, addresses); err != nil {
		return err
	}
	w.line = line
	w.memory.Close()
	w.exposed.Close()
	w.share(line)
	for i, p := range line.Ports() {
		w.ports = append(w.ports, newPort(w, p, w.place.First+i))
	}
	w.heard.Go(w.listen)
	return nil
}

// Close implements [way.Way]. The memory that was shared is given back; the addresses where it was stay mapped for as
// long as somebody has a frame or a port.
func (w *Way) Close(quiet bool) {
	w.meeting.close()
	w.giveBack()
	w.heard.Wait()
	for _, p := range w.ports {
		p.received.late.Stop()
	}
	if quiet {
		dropPages(w.own.arena)
	}
}

func (w *Way) giveBack() {
	w.memory.Close() // nil, it does nothing; closed already, it does nothing
	w.exposed.Close()
	w.event.Close()
	for _, l := range w.peers {
		if l != nil {
			l.event.file.Close()
		}
	}
}

// Unlink implements [way.Way].
func (w *Way) Unlink(process int) {
	if l := w.peers[process]; l != nil {
		l.over.Store(true)
		if l.segment != nil {
			l.segment.Lose()
		}
		w.ended.Add(1)
	}
}

// lender is the port of this process whose pool has lent a frame; nil when it came from another process.
func (w *Way) lender(f *netio.Frame) *port {
	for _, p := range w.ports {
		if p.pool == f.Inside(access).Pool {
			return p
		}
	}
	return nil
}

// check refuses descriptors that make no sense, and returns the memory that one refers to.
func (w *Way) check(l *local.Descriptor) (mem []byte, err error) {
	if l.Kind != netio.Control && l.Kind != netio.Data {
		return nil, fmt.Errorf("unknown kind %#x", l.Kind)
	}
	from := w.peerOf(int(l.Sender))
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

// peerOf is a rank's process, even if it is over; nil when there is none.
func (w *Way) peerOf(rank int) *peer {
	if rank >= w.place.Ranks {
		return nil
	}
	return w.peer(w.place.ProcessOf(rank))
}

// peer is a process, even if it is over; nil when there is none.
func (w *Way) peer(process int) *peer {
	if process >= len(w.peers) {
		return nil
	}
	return w.peers[process]
}

// damaged ends the job: a peer, if it is known which, has sent invalid data.
func (w *Way) damaged(from *peer, what error) {
	err := fmt.Errorf("check shared memory: %w: %w", netio.ErrDamaged, what)
	if from == nil {
		w.line.Tell(err)
		return
	}
	w.line.Lose(from.place.Process, err)
}

// tellSender reports to the rank that sent them that the first n frames of a list were released.
func (w *Way) tellSender(f *netio.Frame, n int) {
	sender := int(f.Inside(access).Sender)
	l := w.peerOf(sender)
	if l.over.Load() {
		return
	}
	to := &l.ranks[sender-l.place.First]
	for first := to.releases.reserve(n); n > 0; n-- {
		in := f.Inside(access)
		to.releases.publish(first, w.place.Process, in.Received)
		first++
		f = in.Next
	}
	l.event.wake(to.ring.Header)
}
