package netio

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
)

// underWay holds the data frames that were sent to a peer until it has acknowledged them. A frame comes home when it has
// been written and acknowledged, whichever is later: the peer may be done with its copy before the system call returns
// that wrote it, and a peer that lies can't make us use memory again that the kernel still reads.
//
//	free ──enter──► entered ──written──► written ──acknowledge──► free (home)
//	                   └───acknowledge──► acknowledged ──written────┘
type underWay struct {
	mu    sync.Mutex
	slots []passage
	free  []uint32 // slots that hold no frame
	since int      // frames entered since the last one that is to be acknowledged promptly
	over  bool     // nothing will be acknowledged any more

	bytes atomic.Int64           // of payload under way; changed under mu, read by anybody
	also  atomic.Pointer[func()] // called by close, each time
}

// passage is one frame under way; without a frame, the slot is free.
type passage struct {
	frame                 *Frame
	written, acknowledged bool
}

// A receiver gathers acknowledgements while its ranks are busy, and sends them when one has released a frame that asks for it:
// one in promptShare of those under way, so that a sender with few frames of credit gets each back at once, and one with
// many keeps most of them moving; and one in promptMax at least.
const (
	promptShare = 4
	promptMax   = 64
)

// enter gives the frame its ticket. It is for the writer, before it seals the frame.
func (u *underWay) enter(f *Frame) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.free) == 0 {
		u.free = append(u.free, uint32(len(u.slots)))
		u.slots = append(u.slots, passage{})
	}
	slot := u.free[len(u.free)-1]
	u.free = u.free[:len(u.free)-1]
	u.slots[slot] = passage{frame: f}
	u.bytes.Add(int64(f.Bytes))
	u.since++
	prompt := u.since >= promptMax || u.since*promptShare >= len(u.slots)-len(u.free)
	if prompt {
		u.since = 0
	}
	f.ticket = newTicket(slot, prompt)
}

// written says that the kernel is done with the frame, for better or worse.
func (u *underWay) written(f *Frame) {
	u.mu.Lock()
	slot := f.ticket.slot()
	p := &u.slots[slot]
	p.written = true
	home := u.over || p.acknowledged
	if home {
		u.leave(slot)
	}
	u.mu.Unlock()
	if home {
		f.Release()
	}
}

// acknowledge takes the payload of an acknowledgement. It stops at the first slot that can't be.
func (u *underWay) acknowledge(slots []byte) error {
	home, err := u.acknowledged(slots)
	releaseAll(home)
	return err
}

func (u *underWay) acknowledged(slots []byte) (home *Frame, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over {
		return nil, nil
	}
	for ; len(slots) >= slotBytes; slots = slots[slotBytes:] {
		slot := binary.LittleEndian.Uint32(slots)
		if int64(slot) >= int64(len(u.slots)) || u.slots[slot].frame == nil || u.slots[slot].acknowledged {
			return home, fmt.Errorf("check acknowledgement: %w: nothing is under way in slot %d", ErrDamaged, slot)
		}
		p := &u.slots[slot]
		p.acknowledged = true
		if p.written {
			p.frame.next = home
			home = p.frame
			u.leave(slot)
		}
	}
	return home, nil
}

// leave frees a slot.
func (u *underWay) leave(slot uint32) {
	u.bytes.Add(-int64(u.slots[slot].frame.Bytes))
	u.slots[slot] = passage{}
	u.free = append(u.free, slot)
}

// whenClosed has f called when nothing will be acknowledged any more, at once if that is so. It may be called again.
func (u *underWay) whenClosed(f func()) {
	u.also.Store(&f)
	u.mu.Lock()
	over := u.over
	u.mu.Unlock()
	if over {
		f()
	}
}

// close gives up waiting: what was written comes home now, what is being written when it has been. It may be called
// again, by anybody.
func (u *underWay) close() {
	releaseAll(u.abandon())
	if also := u.also.Load(); also != nil {
		(*also)()
	}
}

func (u *underWay) abandon() (home *Frame) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	for slot := range u.slots {
		if p := &u.slots[slot]; p.frame != nil && p.written {
			p.frame.next = home
			home = p.frame
			u.leave(uint32(slot))
		}
	}
	return home
}
