package shm

import (
	"context"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/internal/mux"
	"github.com/activepebbles/pebbles/netio/internal/way"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Process is a process of a job where all processes share memory.
type Process struct {
	*mux.Transport
	way *Way
}

// Dial connects a process that shares memory with all others.
func Dial(ctx context.Context, c tcp.Config) (Process, error) { return dial(ctx, c, func(*Way) {}) }

// DialBlind is Dial for a process that can map the exposed memory of only the given number of others.
func DialBlind(ctx context.Context, c tcp.Config, sees int64) (Process, error) {
	return dial(ctx, c, func(w *Way) {
		var seen atomic.Int64
		w.see = func(file *os.File) ([]byte, error) {
			if seen.Add(1) > sees {
				return nil, syscall.ENOMEM
			}
			return openMemory(file)
		}
	})
}

func dial(ctx context.Context, c tcp.Config, change func(*Way)) (p Process, err error) {
	p.Transport, err = mux.Dial(ctx, c, func(c *way.Config) ([]way.Way, error) {
		ways, err := Open(c, true)
		for _, w := range ways {
			p.way = w.(*Way)
			change(p.way)
		}
		return ways, err
	})
	return p, err
}

// Kill ends the transport like the death of its process.
func (p Process) Kill() { p.Under(access).Kill() }

// Sees returns the processes whose exposed memory is mapped.
func (p Process) Sees() (all []int) {
	for process, l := range p.way.peers {
		if l != nil && l.segment != nil {
			all = append(all, process)
		}
	}
	return all
}

// Crossed returns the number of frames that the ports have sent through shared memory, and of those without room there.
func (p Process) Crossed() (crossed, detoured uint64) {
	for _, q := range p.way.ports {
		crossed, detoured = crossed+q.crossings, detoured+q.detours
	}
	return crossed, detoured
}

// Forged is a descriptor that a lying process writes.
type Forged struct {
	Kind         netio.Kind
	From, Sender uint32
	Bytes        uint32
	ByLocation   bool
	Offset       uint64
	Class        uint32
}

// Forge writes a descriptor into the ring of a rank of another process.
func (p Process) Forge(to int, d Forged) {
	peer := p.way.peerOf(to)
	at := &peer.ranks[to-peer.place.First]
	seq, _ := at.ring.Reserve(&at.head)
	s := at.ring.At(seq)
	s.Write(&netio.Header{Kind: d.Kind, From: d.From, Bytes: d.Bytes}, d.Sender, frame.None)
	if d.ByLocation {
		s.Refer(local.Location{Offset: d.Offset, Class: d.Class})
	}
	at.ring.Publish(s, seq)
	peer.event.wake(at.ring.Header)
}

// ForgeRelease reports a release to a rank of another process, in the name of any process.
func (p Process) ForgeRelease(to, process int, number uint32) {
	peer := p.way.peerOf(to)
	releases := &peer.ranks[to-peer.place.First].releases
	releases.publish(releases.reserve(1), process, frame.Number(number))
	peer.event.wake(releases.header)
}

// ArenaBytes returns the size of the process's arena in bytes.
func (p Process) ArenaBytes() uint64 { return uint64(len(p.way.arena.mem)) }

// FillArena fills the arena.
func (p Process) FillArena() {
	p.way.arena.mu.Lock()
	defer p.way.arena.mu.Unlock()
	p.way.arena.used = len(p.way.arena.mem)
}

// ArenaUsed returns the bytes that the arena has ever allocated.
func (p Process) ArenaUsed() int { return p.way.arena.used }

// RingSlots and SharedMax are the maximum numbers of frames in flight.
func (p Process) RingSlots() int { return p.way.own.slots }

const SharedMax = inflight.SharedMax
