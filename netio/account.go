package netio

import (
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
)

// Account counts frames that are in flight: charged, and not yet known to be released. A target has one for each link,
// and holds back when there are too many on it. The zero value is ready; one that a pool owns costs less for small
// frames.
type Account struct {
	open   atomic.Int64  // frames charged, less those that their pools have collected
	pool   *Pool         // of all frames that are charged; nil for accounts that pools have in common
	out    int64         // of them, those whose contents were copied and that counts tells of
	seen   uint64        // what of counts has been collected
	counts *releaseCount // nil before the first small frame
	number frame.Number  // of counts
	left   bool          // by its owner: nothing more will be charged to it
}

// releaseCount counts the small frames of one account that their receivers have released. Such a frame's memory never
// left its sender; all that comes back is this count. It has cache lines of its own: receivers write it and the sender
// reads it now and then, when it has run out of credit or room.
type releaseCount struct {
	frames atomic.Uint64
	_      [2*cpu.CacheLine - 8]byte
}

// InFlight is how many frames are in flight, at most: those that came back since the pool last collected count too.
func (a *Account) InFlight() int64 { return a.open.Load() }

// Own says that only frames of this pool will be charged to an account. It comes before the first.
func (p *Pool) Own(a *Account) { a.pool = p }

// Leave says that no more frames will be charged to an account that this pool owns. Its release count is for another
// one when all frames are back.
func (p *Pool) Leave(a *Account) {
	if a.left = true; a.counts != nil && a.out == 0 {
		p.spare = append(p.spare, a.number)
	}
}

// insidePool has the methods of a pool that are for transports.
type insidePool Pool

// Inside is the part of a pool that is for transports of this module.
func (p *Pool) Inside(frame.Access) *insidePool { return (*insidePool)(p) }

// SetKeeper gives the pool another keeper, before the first Get.
func (p *insidePool) SetKeeper(k Keeper) { p.keeper = k }

// Has reports whether Get(n) would not allocate. It is for the owner, as are the next but Released.
func (p *insidePool) Has(n int) bool { return p.free[frame.ClassOf(n)] != nil }

// Number is the number of the release count of the account that f is charged to. It reports false when the account is
// not this pool's own.
func (p *insidePool) Number(f *Frame) (n frame.Number, ok bool) {
	a := f.in.Account
	if a == nil || a.pool != (*Pool)(p) {
		return 0, false
	}
	if a.counts == nil {
		p.giveCount(a)
	}
	return a.number, true
}

// giveCount gives an account a release count: one that is spare, or else a new one.
func (p *insidePool) giveCount(a *Account) {
	var all []*releaseCount
	if known := p.counts.Load(); known != nil {
		all = *known
	}
	if last := len(p.spare) - 1; last >= 0 {
		a.number, p.spare = p.spare[last], p.spare[:last]
		a.counts = all[a.number]
		a.seen = a.counts.frames.Load()
		return
	}
	a.counts, a.number = &releaseCount{}, frame.Number(len(all))
	all = append(all, a.counts)
	p.counts.Store(&all)
}

// Released counts that a receiver has released a small frame that was charged to an account of this pool. Any goroutine
// may call it.
func (p *insidePool) Released(n frame.Number) { (*p.counts.Load())[n].frames.Add(1) }

// Copied keeps a frame whose contents have been copied to where its receiver finds them. When the release of the copy
// is awaited, as much as a small frame stays lent.
func (p *insidePool) Copied(f *Frame, awaited bool) {
	c := frame.Class(f.in.Memory)
	if f.in.Account != nil && !awaited {
		f.in.Account.open.Add(-1)
	}
	f.in.Account = nil
	p.lent -= frame.Bytes(c)
	(*Pool)(p).keep(f, c)
	if awaited {
		p.lent += smallCost
		p.peak = max(p.peak, p.lent+p.idle)
	}
}

// Back takes in that receivers have released so many copied frames of an account, which may be nil.
func (p *insidePool) Back(a *Account, frames uint64) {
	p.lent -= int64(frames) * smallCost
	p.back += frames
	if a != nil {
		a.open.Add(-int64(frames))
	}
}

// Await has the pool look at the release count of an account when it collects.
func (p *insidePool) Await(a *Account) {
	if a.out == 0 {
		p.away = append(p.away, a)
	}
	a.out++
}

// collectCounts brings accounts up to date with their release counts.
func (p *Pool) collectCounts() {
	still := p.away[:0]
	for _, a := range p.away {
		n := a.counts.frames.Load() - a.seen
		a.seen += n
		a.out -= int64(n)
		(*insidePool)(p).Back(a, n)
		switch {
		case a.out > 0:
			still = append(still, a)
		case a.left:
			p.spare = append(p.spare, a.number)
		}
	}
	clear(p.away[len(still):])
	p.away = still
}

// smallCost is what any frame costs whose contents fit into a slot.
var smallCost = FrameCost(frame.InlineMax)
