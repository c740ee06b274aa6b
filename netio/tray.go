package netio

import (
	"sync/atomic"
	"unsafe"
)

// tray is a bounded queue of small frames by value, for one taker; anybody may put. Header and payload travel in a pair of
// cache lines, which is all that changes hands: a frame that is handed over itself takes its own lines, those of its payload and
// that of the queue's end with it, one after the other. The taker writes nothing that others look at often.
type tray struct {
	ring  *[cellCount]cell
	stock *Pool // frames for what is taken out; the taker's
	_     [cacheLine - 16]byte

	head uint64 // of the taker: the next cell to look at
	_    [cacheLine - 8]byte

	tail atomic.Uint64 // the next cell to be filled
	seen atomic.Uint64 // how far the taker had come when somebody last looked
	_    [cacheLine - 16]byte

	taken atomic.Uint64 // how far the taker has come
	_     [cacheLine - 8]byte
}

const (
	cellCount = 32
	smallMax  = 64 // bytes of payload
)

// cell holds one frame. It takes two cache lines.
type cell struct {
	turn   atomic.Uint64 // of the frame in it: one more than its place in the queue of all times
	header Header
	origin *Frame // a data frame, which comes back when the one made from the cell is released; nil for others
	small  [smallMax]byte
}

var _ [2*cacheLine - unsafe.Sizeof(cell{})]byte

func newTray() *tray { return &tray{ring: new([cellCount]cell), stock: NewPool(nil)} }

// put copies a frame into a cell, and gives back one that nobody waits for. It reports false when the frame is too large or
// the tray is full.
func (s *tray) put(f *Frame) bool {
	if f.Bytes > smallMax {
		return false
	}
	at := s.tail.Load()
	for {
		if at-s.seen.Load() >= cellCount {
			taken := s.taken.Load()
			s.seen.Store(taken)
			if at-taken >= cellCount {
				return false
			}
		}
		if s.tail.CompareAndSwap(at, at+1) {
			break
		}
		at = s.tail.Load()
	}
	t := &s.ring[at%cellCount]
	t.header = f.Header
	copy(t.small[:], f.Payload())
	t.origin = nil
	if f.Kind == Data {
		t.origin = f
	}
	t.turn.Store(at + 1)
	if f.Kind != Data {
		f.Release()
	}
	return true
}

// empty is for the taker.
func (s *tray) empty() bool { return s.ring[s.head%cellCount].turn.Load() != s.head+1 }

// take makes a frame of the oldest cell; nil when there is none.
func (s *tray) take() *Frame {
	t := &s.ring[s.head%cellCount]
	if t.turn.Load() != s.head+1 {
		return nil
	}
	f := s.stock.Get(smallMax)
	f.Header, f.origin = t.header, t.origin
	*(*[smallMax]byte)(f.Base()) = t.small
	s.head++
	s.taken.Store(s.head)
	return f
}
