package shm

import (
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/inflight"
	"github.com/activepebbles/pebbles/internal/local"
	"github.com/activepebbles/pebbles/netio"
)

// Kill ends the transport as the death of its process would.
func (t *Transport) Kill() { t.tcp.Under(access).Kill() }

// Crossed is how many frames a rank's port has sent through shared memory, and Detoured how many that should have gone there
// and found no room.
func (t *Transport) Crossed() (crossed, detoured uint64) {
	for _, p := range t.ports {
		crossed, detoured = crossed+p.crossings, detoured+p.detours
	}
	return crossed, detoured
}

// Forged is a descriptor as a process that lies would write it.
type Forged struct {
	Kind         netio.Kind
	From, Sender uint32
	Bytes        uint32
	ByLocation   bool
	Offset       uint64
	Class        uint32
}

// Forge writes a descriptor into the ring of a rank of another process.
func (t *Transport) Forge(to int, d Forged) {
	link := t.linkTo(to)
	lane := &link.lanes[to-link.place.First]
	seq, _ := lane.ring.Reserve(&lane.head)
	s := lane.ring.At(seq)
	s.Write(&netio.Header{Kind: d.Kind, From: d.From, Bytes: d.Bytes}, d.Sender, frame.None)
	if d.ByLocation {
		s.Refer(local.Location{Offset: d.Offset, Class: d.Class})
	}
	lane.ring.Publish(seq)
	link.event.wake(lane.ring.Header)
}

// ForgeRelease tells a rank of another process, in the name of any, that a frame was released.
func (t *Transport) ForgeRelease(to, process int, number uint32) {
	link := t.linkTo(to)
	releases := &link.lanes[to-link.place.First].releases
	releases.put(releases.reserve(1), process, frame.Number(number))
	link.event.wake(releases.header)
}

// ArenaBytes is how large the process's arena is.
func (t *Transport) ArenaBytes() uint64 { return uint64(len(t.arena.mem)) }

// FillArena leaves no room.
func (t *Transport) FillArena() {
	t.arena.mu.Lock()
	defer t.arena.mu.Unlock()
	t.arena.used = len(t.arena.mem)
}

// ArenaUsed is how many bytes the arena has ever given out.
func (t *Transport) ArenaUsed() int { return t.arena.used }

// RingSlots and SharedMax are how much is under way at most.
func (t *Transport) RingSlots() int { return t.own.slots }

const SharedMax = inflight.SharedMax
