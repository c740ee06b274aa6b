package netio

import (
	"fmt"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
)

// Pool lends frames to one owner, and takes them back from any goroutine. It counts what is lent, so that its owner can
// hold back when too much is in flight: the bound on memory that docs/contract.md promises rests on this
// count. A data frame that was sent is lent until its receiver has released it, wherever that is, so the count of the
// senders bounds the memory of the receivers as well.
//
// Get, Lent, Peak and Trim are for the owner's goroutine alone; [Frame.Release] and TakeBack may be called from any.
type Pool struct {
	keeper Keeper
	counts atomic.Pointer[[]*releaseCount] // of this pool's accounts, by number
	_      [2*cpu.CacheLine - 24]byte

	returned Stack // frames that came back and are not yet collected
	_        [2*cpu.CacheLine - 8]byte

	away []*Account               // those that have small frames in flight
	free [frame.ClassCount]*Frame // frames with room for 1<<i bytes of payload that are not lent
	idle int64                    // bytes in free
	lent int64                    // bytes lent and not yet collected
	peak int64                    // the most that lent and free frames together have been
	back uint64                   // frames that came back and were collected

	spare []frame.Number // release counts of accounts that were left
}

// Keeper is what stands behind a pool: where the memory of its frames comes from, and who hears of releases. [Heap] is
// the plain one; others embed it.
type Keeper interface {
	// Memory returns n bytes for a new frame, on a cache line. The pool's owner calls it.
	Memory(n int) []byte
	// Drop is told of a frame that the pool lets go of. The pool's owner calls it.
	Drop(f *Frame)
	// Gather calls [Pool.TakeBack] for what does not come back by itself. The pool's owner calls it before it collects.
	Gather()
	// Release is what [Frame.Release] comes to, on any goroutine. It must not block. It gives the frame to
	// [Pool.TakeBack], once, at once or later.
	Release(p *Pool, f *Frame)
}

// Heap keeps the frames of a pool in memory of Go's, and takes them back at once.
type Heap struct{}

// Memory implements [Keeper].
func (Heap) Memory(n int) []byte { return cpu.AlignedBytes(n) }

// Drop implements [Keeper].
func (Heap) Drop(*Frame) {}

// Gather implements [Keeper].
func (Heap) Gather() {}

// Release implements [Keeper].
func (Heap) Release(p *Pool, f *Frame) { p.TakeBack(f) }

// NewPool makes an empty pool with a keeper, which nobody else has; nil is a [Heap].
func NewPool(k Keeper) *Pool {
	if k == nil {
		k = Heap{}
	}
	return &Pool{keeper: k}
}

// FrameCost is what a frame with n bytes of payload adds to [Pool.Lent]: n rounded up to a power of two, and 64 bytes.
func FrameCost(n int) int64 { return frame.Bytes(frame.ClassOf(n)) }

// Get lends a frame with room for at least n bytes of payload. Its header is all zero: the caller sets Bytes before
// [Frame.Payload] is used. What is in its memory is left over from earlier use. In steady state Get allocates nothing;
// n beyond FrameBytesMax is a caller's bug.
func (p *Pool) Get(n int) *Frame {
	if n < 0 || n > FrameBytesMax {
		panic(fmt.Sprintf("netio: a frame of %d bytes was asked for, the most is %d", n, FrameBytesMax))
	}
	c := frame.ClassOf(n)
	cost := frame.Bytes(c)
	if p.free[c] == nil {
		p.collect()
	}
	f := p.free[c]
	p.lent += cost
	if f == nil {
		p.peak = max(p.peak, p.lent+p.idle)
		return &Frame{in: inside{Memory: p.keeper.Memory(int(cost)), Pool: p}}
	}
	p.idle -= cost
	p.free[c] = f.in.Next
	f.in.Next = nil
	f.Header, f.in.Sent = Header{}, 0
	return f
}

// Lent is how many bytes of frames are lent out, after all that came back were collected.
func (p *Pool) Lent() int64 {
	p.collect()
	return p.lent
}

// LentAtMost is the same without collecting, so that no cache line need come from whoever releases.
func (p *Pool) LentAtMost() int64 { return p.lent }

// Back is how many frames have come back and were collected. An owner that waits for frames must look again before it
// parks when the number has grown since it looked.
func (p *Pool) Back() uint64 { return p.back }

// Peak is the most bytes that the pool ever had, lent or kept for the next Get.
func (p *Pool) Peak() int64 { return p.peak }

// Idle is how many bytes of frames wait for the next Get.
func (p *Pool) Idle() int64 { return p.idle }

// Held is how many bytes the pool holds, lent or kept for the next Get, without a look at what has come back since.
func (p *Pool) Held() int64 { return p.lent + p.idle }

// Trim lets go of the frames that nobody uses.
func (p *Pool) Trim() {
	p.collect()
	for c := range p.free {
		for f := p.free[c]; f != nil; f = f.in.Next {
			p.keeper.Drop(f)
		}
	}
	p.free = [frame.ClassCount]*Frame{}
	p.idle = 0
}

// TakeBack takes a frame that this pool has lent out of its account, the next time that the pool collects. It is for
// keepers. Any goroutine may call it.
func (p *Pool) TakeBack(f *Frame) { p.returned.Push(f) }

// collect takes in what has come back, and reports whether there was any.
func (p *Pool) collect() bool {
	before := p.back
	p.keeper.Gather()
	if len(p.away) > 0 {
		p.collectCounts()
	}
	for f := p.returned.takeAll(); f != nil; {
		next := f.in.Next
		if f.in.Account != nil {
			f.in.Account.open.Add(-1)
			f.in.Account = nil
		}
		c := frame.Class(f.in.Memory)
		p.lent -= frame.Bytes(c)
		p.back++
		if !f.in.Stale {
			p.keep(f, c)
		}
		f = next
	}
	return p.back != before
}

// keep puts a frame of a class where the next Get finds it.
func (p *Pool) keep(f *Frame, c int) {
	f.in.Next = p.free[c]
	p.free[c] = f
	p.idle += frame.Bytes(c)
}
