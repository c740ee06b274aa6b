package netio

import (
	"fmt"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
)

// Pool lends frames to one owner and takes them back from any goroutine. The owner stops sending when too much is lent,
// which bounds the memory of a job as docs/contract.md promises. A data frame stays lent until its receiver, in any
// process, has released it. The senders' counts therefore also bound the memory of the receivers.
//
// Get, Lent, Peak and Trim are for the owner's goroutine. Any goroutine may call [Frame.Release] and TakeBack.
type Pool struct {
	keeper Keeper
	counts atomic.Pointer[[]*releaseCount] // release counts of this pool's accounts, by number
	_      [2*cpu.CacheLine - 24]byte

	returned Stack // returned frames, not yet collected
	_        [2*cpu.CacheLine - 8]byte

	away []*Account               // accounts with small frames in flight
	free [frame.ClassCount]*Frame // idle frames with room for 1<<i bytes of payload
	idle int64                    // bytes in free
	lent int64                    // bytes lent and not yet collected
	peak int64                    // maximum of lent plus idle
	back uint64                   // number of collected frames

	spare []frame.Number // release counts that no account uses
}

// Keeper provides the memory of a pool's frames and receives their releases. [Heap] is the plain one; others embed it.
type Keeper interface {
	// Memory returns n bytes for a new frame, on a cache line. The pool's owner calls it.
	Memory(n int) []byte
	// Drop is called by the pool's owner when the pool drops a frame.
	Drop(f *Frame)
	// Gather calls [Pool.TakeBack] for frames that return only on request. The owner calls it before it collects.
	Gather()
	// Release implements [Frame.Release] on any goroutine. It must not block. It calls [Pool.TakeBack] once for the
	// frame, immediately or later.
	Release(p *Pool, f *Frame)
}

// Heap is a [Keeper] with memory from the Go heap. Frames return immediately.
type Heap struct{}

// Memory implements [Keeper].
func (Heap) Memory(n int) []byte { return cpu.AlignedBytes(n) }

// Drop implements [Keeper].
func (Heap) Drop(*Frame) {}

// Gather implements [Keeper].
func (Heap) Gather() {}

// Release implements [Keeper].
func (Heap) Release(p *Pool, f *Frame) { p.TakeBack(f) }

// NewPool returns an empty pool with its own keeper. A nil keeper means [Heap].
func NewPool(k Keeper) *Pool {
	if k == nil {
		k = Heap{}
	}
	return &Pool{keeper: k}
}

// FrameCost returns the cost of a frame with n bytes of payload, as [Pool.Lent] counts it: n rounded up to a power of
// two, plus 64 bytes.
func FrameCost(n int) int64 { return frame.Bytes(frame.ClassOf(n)) }

// Get lends a frame with room for at least n bytes of payload. Its header is zero: set Bytes before you call
// [Frame.Payload]. Its memory keeps the contents of an earlier use. In steady state Get allocates nothing. It panics if
// n exceeds FrameBytesMax.
func (p *Pool) Get(n int) *Frame {
	if n < 0 || n > FrameBytesMax {
		panic(fmt.Sprintf("netio: a frame of %d bytes was asked for, the most is %d", n, FrameBytesMax))
	}
	c := frame.ClassOf(n)
	cost := frame.Bytes(c)
	if p.free[c] == nil {
		p.Collect()
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

// Lent collects the returned frames and returns the bytes of frames that are still lent.
func (p *Pool) Lent() int64 {
	p.Collect()
	return p.lent
}

// LentAtMost returns the lent bytes without collecting, so it takes no cache line from the goroutines that release.
func (p *Pool) LentAtMost() int64 { return p.lent }

// Back returns the number of collected frames. An owner that waits for frames must look again before it parks if the
// number has grown since its last look.
func (p *Pool) Back() uint64 { return p.back }

// Peak returns the maximum of bytes that the pool has held, lent or idle.
func (p *Pool) Peak() int64 { return p.peak }

// Idle returns the bytes of frames that wait for the next Get.
func (p *Pool) Idle() int64 { return p.idle }

// Held returns the bytes that the pool holds, lent or idle, without collecting.
func (p *Pool) Held() int64 { return p.lent + p.idle }

// Trim drops the idle frames.
func (p *Pool) Trim() {
	p.Collect()
	for c := range p.free {
		for f := p.free[c]; f != nil; f = f.in.Next {
			p.keeper.Drop(f)
		}
	}
	p.free = [frame.ClassCount]*Frame{}
	p.idle = 0
}

// TakeBack takes back a frame that this pool has lent. The pool collects it later. TakeBack is for keepers. Any
// goroutine may call it.
func (p *Pool) TakeBack(f *Frame) { p.returned.Push(f) }

// Collect collects the returned frames, which gives back their credit, and reports whether it found any.
func (p *Pool) Collect() bool {
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

// keep makes a frame of a class available to the next Get.
func (p *Pool) keep(f *Frame, c int) {
	f.in.Next = p.free[c]
	p.free[c] = f
	p.idle += frame.Bytes(c)
}
