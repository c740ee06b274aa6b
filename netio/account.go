package netio

import (
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
)

// Account counts frames in flight: charged, and not yet known to be released. A target has one for each link and stops
// sending when the count reaches its limit. The zero value is ready. A pool's own account costs less for small frames.
type Account struct {
	open   atomic.Int64  // frames charged and not yet collected by their pools
	pool   *Pool         // owner of all charged frames; nil for an account that pools share
	out    int64         // small frames in flight, counted back by counts
	seen   uint64        // collected part of counts
	counts *releaseCount // nil before the first small frame
	number frame.Number  // of counts
	left   bool          // no more charges
}

// releaseCount counts the small frames of one account that their receivers have released. The memory of such a frame
// never left its sender, so only this count returns. It has its own cache lines: receivers write it, and the sender
// reads it only when it has run out of credit or room.
type releaseCount struct {
	frames atomic.Uint64
	_      [2*cpu.CacheLine - 8]byte
}

// InFlight returns an upper bound of the frames in flight, which ignores returns after the pool's last collection.
func (a *Account) InFlight() int64 { return a.open.Load() }

// Own declares that only frames of this pool will be charged to an account. Call it before the first charge.
func (p *Pool) Own(a *Account) { a.pool = p }

// Leave declares that no more frames will be charged to an account that this pool owns. When all its frames have
// returned, the pool reuses its release count for another account.
func (p *Pool) Leave(a *Account) {
	if a.left = true; a.counts != nil && a.out == 0 {
		p.spare = append(p.spare, a.number)
	}
}

// insidePool has the methods of a pool for transports.
type insidePool Pool

// Inside returns the pool's methods for the transports of this module.
func (p *Pool) Inside(frame.Access) *insidePool { return (*insidePool)(p) }

// SetKeeper gives the pool another keeper, before the first Get.
func (p *insidePool) SetKeeper(k Keeper) { p.keeper = k }

// Has reports whether Get(n) would not allocate. It is for the owner. So are the following methods except Released.
func (p *insidePool) Has(n int) bool { return p.free[frame.ClassOf(n)] != nil }

// Number returns the number of the release count of the account that f is charged to. It reports false if the account
// does not belong to this pool.
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

// giveCount gives an account a spare release count, or a new one.
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

// Released counts that a receiver has released a small frame of an account of this pool. Any goroutine may call it.
func (p *insidePool) Released(n frame.Number) { (*p.counts.Load())[n].frames.Add(1) }

// Copied takes back a frame after its contents were copied for its receiver. If the release of the copy is awaited, the
// cost of a small frame stays lent.
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

// Back records that receivers released frames copied frames charged to a (nil: to none).
func (p *insidePool) Back(a *Account, frames uint64) {
	p.lent -= int64(frames) * smallCost
	p.back += frames
	if a != nil {
		a.open.Add(-int64(frames))
	}
}

// Await makes the pool look at the release count of an account when it collects.
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

// smallCost is the cost of a frame that fits into a slot.
var smallCost = FrameCost(frame.InlineMax)
