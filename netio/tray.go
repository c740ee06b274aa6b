package netio

import (
	"sync/atomic"
	"unsafe"
)

// tray is where small frames for one rank of this process arrive by value: what is on a slot's cache line has come to the
// receiver's processor once it sees that the slot is filled, while a frame's header, its link and its payload would have to
// be brought there one after the other, and back. The receiver lends itself frames for them. Of the sender's frame only a
// count comes back, when it is asked for.
type tray struct {
	ring ring
	rank uint32 // that takes
	from func(rank uint32) *station
	_    [2 * cacheLine]byte

	seen atomic.Uint64 // how far the receiver is, as its senders know
	_    [2*cacheLine - 8]byte

	taken uint64 // slots that the receiver has taken; its own, as is the next
	cups  Pool   // lends the frames for what is taken
}

const (
	traySlots     = 256
	traySlotsMany = 32 // of each rank when these are many
	trayMany      = 64
)

func newTray(ranks int, rank uint32, from func(rank uint32) *station) *tray {
	slots := traySlots
	if ranks > trayMany {
		slots = traySlotsMany
	}
	t := &tray{ring: ring{slots: alignedSlots(slots), desk: &desk{}}, rank: rank, from: from}
	t.cups.bytes, t.cups.home = alignedBytes, t.home
	return t
}

// alignedSlots are slots whose cache lines are those of the processor.
func alignedSlots(n int) []slot {
	raw := alignedBytes(n * slotSize)
	return unsafe.Slice((*slot)(unsafe.Pointer(&raw[0])), n)
}

// put takes a frame's contents, if there is room for them and the frame may travel so. It is for the sender.
func (t *tray) put(f *Frame, sender uint32) bool {
	mark := noPassage
	if f.Kind != Control {
		if f.open == nil || f.open.pool != f.pool {
			return false
		}
		mark = f.pool.marked(f.open)
	}
	ticket, ok := t.ring.draw(&t.seen)
	if !ok {
		return false
	}
	s := t.ring.at(ticket)
	s.write(&f.Header, sender, mark)
	copyInline(s, f)
	t.ring.publish(ticket)
	return true
}

// filled tells whether take would return a frame.
func (t *tray) filled() bool { return t.ring.filled(t.taken) }

// take returns the next frame that has arrived here, if there is one.
func (t *tray) take() *Frame {
	if !t.filled() {
		return nil
	}
	s := t.ring.at(t.taken)
	f := t.cups.Get(inlineMax)
	s.read(&f.Header)
	f.To, f.sender, f.receipt = t.rank, s.sender, ticket(s.passage)
	copy(f.Payload(), s.body[:])
	t.taken = t.ring.empty(t.taken)
	return f
}

// home is what Frame.Release comes to.
func (t *tray) home(f *Frame) {
	if f.awaited() {
		t.from(f.sender).pool.landed(uint32(f.receipt))
	}
	t.cups.takeBack(f)
}
