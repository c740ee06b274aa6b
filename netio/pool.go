package netio

import (
	"fmt"
	"math/bits"
	"sync/atomic"
)

// Pool lends frames to one owner, and takes them back from anybody. It counts what is lent, so that its owner can hold
// back when too much is under way: the bound on memory that promise 4 of the contract speaks of rests on this count. A
// data frame that was sent is lent until its receiver has released it, wherever that is, so the count of the senders
// bounds the memory of the receivers as well.
//
// Get, Lent, Peak and Trim are for the owner's goroutine alone; [Frame.Release] may be called from any.
type Pool struct {
	onReturn func()                     // called after each return, by the goroutine that returns; may be nil
	owed     *owed                      // where frames go first when they are copies that a peer waits for; else nil
	bytes    func(n int) []byte         // allocates the memory of a frame, on a cache line
	drop     func(*Frame)               // is given frames that the pool lets go of; may be nil
	gather   func()                     // takes back what does not come by itself, before what has come is collected; may be nil
	home     func(*Frame)               // where frames go in place of this pool when they are lent in another process's name; may be nil
	landings atomic.Pointer[[]*landing] // of this pool's accounts, by their marks
	_        [2*cacheLine - 56]byte

	returned stack // frames that came back and are not yet collected
	_        [2*cacheLine - 8]byte

	away []*Account         // those that have small frames under way
	free [classCount]*Frame // frames with room for 1<<i bytes of payload that are not lent
	idle int64              // bytes in free
	lent int64              // bytes lent and not yet collected
	peak int64              // the most that lent and free frames together have been
	back uint64             // frames that came back and were collected
}

// NewPool makes an empty pool. onReturn, when not nil, is called by whoever returns a frame, after it came back: it must
// be safe to call from any goroutine and must not block.
func NewPool(onReturn func()) *Pool {
	return &Pool{onReturn: onReturn, bytes: alignedBytes}
}

const (
	classMin   = 8 // room is a power of two of bytes, from 256 on
	classCount = 32
)

func classOf(n int) int { return max(classMin, bits.Len(uint(max(n, 1)-1))) }

func classBytes(c int) int64 { return headerRoom + 1<<c }

// class is the inverse of classBytes.
func (f *Frame) class() int { return bits.Len(uint(len(f.mem) - headerRoom - 1)) }

// FrameCost is what a frame with n bytes of payload adds to [Pool.Lent]: n rounded up to a power of two, and 64 bytes.
func FrameCost(n int) int64 { return classBytes(classOf(n)) }

// Get lends a frame with room for at least n bytes of payload. Its header is all zero: the caller sets Bytes before
// [Frame.Payload] is used. What is in its memory is left over from earlier use. In steady state Get allocates nothing;
// n beyond FrameBytesMax is a caller's bug.
func (p *Pool) Get(n int) *Frame {
	if n < 0 || n > FrameBytesMax {
		panic(fmt.Sprintf("netio: a frame of %d bytes was asked for, the most is %d", n, FrameBytesMax))
	}
	c := classOf(n)
	cost := classBytes(c)
	if p.free[c] == nil {
		p.collect()
	}
	f := p.free[c]
	p.lent += cost
	if f == nil {
		p.peak = max(p.peak, p.lent+p.idle)
		return &Frame{mem: p.bytes(int(cost)), pool: p}
	}
	p.idle -= cost
	p.free[c] = f.next
	f.next = nil
	f.Header, f.ticket = Header{}, 0
	return f
}

// Lent is how many bytes of frames are lent out, after all that came back were collected.
func (p *Pool) Lent() int64 {
	p.collect()
	return p.lent
}

// LentAtMost is the same without collecting, so that no cache line need come from whoever releases.
func (p *Pool) LentAtMost() int64 { return p.lent }

// Back is how many frames have come back and were collected. An owner that waits for frames must look again before it parks
// when the number has grown since it looked.
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
		for f := p.free[c]; f != nil && p.drop != nil; f = f.next {
			p.drop(f)
		}
	}
	p.free = [classCount]*Frame{}
	p.idle = 0
}

// has reports whether Get(n) would not allocate.
func (p *Pool) has(n int) bool { return p.free[classOf(n)] != nil }

func (p *Pool) giveBack(f *Frame) {
	switch {
	case p.home != nil:
		p.home(f)
	case p.owed != nil:
		p.owed.add(f)
	default:
		p.takeBack(f)
	}
}

func (p *Pool) takeBack(f *Frame) {
	p.returned.push(f)
	if p.onReturn != nil {
		p.onReturn()
	}
}

// collect takes in what has come back, and tells whether there was any.
func (p *Pool) collect() bool {
	before := p.back
	if p.gather != nil {
		p.gather()
	}
	if len(p.away) > 0 {
		p.settle()
	}
	for f := p.returned.takeAll(); f != nil; {
		next := f.next
		if f.open != nil {
			f.open.open.Add(-1)
			f.open = nil
		}
		c := f.class()
		p.lent -= classBytes(c)
		p.back++
		if !f.stale {
			p.keep(f, c)
		}
		f = next
	}
	return p.back != before
}

// keep puts a frame of a class where the next Get finds it.
func (p *Pool) keep(f *Frame, c int) {
	f.next = p.free[c]
	p.free[c] = f
	p.idle += classBytes(c)
}
