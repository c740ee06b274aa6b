// Package shm is the faster way between the processes of one host: they exchange frames through shared memory. Package
// netio/tcp still connects all processes, and reports a lost one.
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

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// Way is the way between processes of one host that share memory. A rank's pool lends memory that the other processes
// also map, so frames change hands without a copy. A descriptor of two cache lines travels through a ring that the
// receiving rank polls. Frames of up to 80 bytes travel inside the descriptor.
//
// No room is left when a ring is full, when a rank has 4,096 data frames in flight, or when all shared memory is lent.
//
// Data from shared memory is checked before use, like bytes from a connection: a process that lies ends the job, with
// an error that names it. A checksum is not needed, because the bytes never leave the host's memory.
type Way struct {
	meeting *meeting
	offer   handshake.Offer
	all     bool // the job requires this way
	line    way.LifeLine
	place   netio.Place
	own     *region
	memory  *os.File // the region's; open until all have met
	exposed *os.File // the segment's; open until then
	segment *exposed.Segment
	see     func(*os.File) ([]byte, error) // maps the exposed memory of another process
	arena   arena
	event   *os.File // eventfd of this process
	peers   []*peer  // by process; nil for this one and for those on other hosts
	byRank  []*peer  // the same by rank: a frame needs it, and a division takes longer
	ports   []*port
	ended   atomic.Uint32  // number of peers that are over
	heard   sync.WaitGroup // listen
}

// peer is another process of this host.
type peer struct {
	place   netio.Place
	region  *region
	segment *exposed.Segment // its exposed memory; nil unless each end has mapped the other's
	ranks   []remoteRank     // to its ranks
	event   eventfd
	over    atomic.Bool // the peer will release nothing more
}

// remoteRank is this process's way to a rank of another process.
type remoteRank struct {
	ring     local.Ring
	releases releases
	head     atomic.Uint64 // slots that the rank has emptied, as far as this process has seen
}

// Open opens the way, with a socket whose name is not in the file system. If all processes must share memory, an error
// explains a failure; otherwise Open then returns no way.
func Open(c *way.Config, all bool) ([]way.Way, error) {
	w := &Way{all: all, place: c.Place, see: openMemory, peers: make([]*peer, c.Place.Processes),
		byRank: make([]*peer, c.Place.Ranks)}
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
	cpu.QuietMonitor()
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

// Close implements [way.Way]. It frees the shared memory, but frames and ports keep their addresses mapped.
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
	w.memory.Close() // no effect on nil or on a closed file
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

// lender returns the port of this process whose pool has lent a frame, or nil for a frame of another process.
func (w *Way) lender(f *netio.Frame) *port {
	for _, p := range w.ports {
		if p.pool == f.Inside(access).Pool {
			return p
		}
	}
	return nil
}

// check refuses invalid descriptors, and returns the memory that a valid one refers to.
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

// peerOf returns a rank's process, even if it is over, or nil if none exists.
func (w *Way) peerOf(rank int) *peer {
	if rank >= len(w.byRank) {
		return nil
	}
	return w.byRank[rank]
}

// peer returns a process, even if it is over, or nil if none exists.
func (w *Way) peer(process int) *peer {
	if process >= len(w.peers) {
		return nil
	}
	return w.peers[process]
}

// damaged ends the job after invalid data. from is the peer that sent it, if known.
func (w *Way) damaged(from *peer, what error) {
	err := fmt.Errorf("check shared memory: %w: %w", netio.ErrDamaged, what)
	if from == nil {
		w.line.Tell(err)
		return
	}
	w.line.Lose(from.place.Process, err)
}

// tellSender reports the release of the first n frames of a list to the rank that sent them.
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
