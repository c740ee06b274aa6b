package netio

import "sync/atomic"

// Account counts frames that are under way: charged, and not yet known to be released. A target has one for each link, and
// holds back when there are too many on it. The zero value is ready; one that a pool owns costs less for small frames.
type Account struct {
	open atomic.Int64 // frames charged, less those that their pools have collected
	pool *Pool        // of all frames that are charged; nil for accounts that pools have in common
	out  int64        // of them, those whose contents were copied and whose release only landed tells
	seen uint64       // what of own has been collected
	own  *landing     // nil before the first small frame
	mark uint32       // under which own is known
}

// landing counts the small frames of one account that their receivers have released. Such a frame's memory never left its
// sender; all that comes back is this count. It has cache lines of its own: receivers write it and the sender reads it now
// and then, when it has run out of credit or room.
type landing struct {
	frames atomic.Uint64
	_      [2*cacheLine - 8]byte
}

// UnderWay is how many frames are under way, at most: those that came back since the pool last collected count too.
func (a *Account) UnderWay() int64 { return a.open.Load() }

// Own says that only frames of this pool will be charged to an account. It comes before the first.
func (p *Pool) Own(a *Account) { a.pool = p }

// marked returns the mark of an account that the pool owns.
func (p *Pool) marked(a *Account) uint32 {
	if a.own == nil {
		var all []*landing
		if known := p.landings.Load(); known != nil {
			all = *known
		}
		a.own, a.mark = &landing{}, uint32(len(all))
		all = append(all, a.own)
		p.landings.Store(&all)
	}
	return a.mark
}

// landed notes that a receiver is done with a small frame that was charged to an account of this pool. Anybody may call it.
func (p *Pool) landed(mark uint32) {
	(*p.landings.Load())[mark].frames.Add(1)
	if p.onReturn != nil {
		p.onReturn()
	}
}

// copied keeps a frame whose contents have been copied to where its receiver finds them. When somebody waits to hear that the
// receiver is done with them, as much as a small frame stays lent. It is for the owner, as are the next.
func (p *Pool) copied(f *Frame, awaited bool) {
	c := f.class()
	if f.open != nil && !awaited {
		f.open.open.Add(-1)
	}
	f.open = nil
	p.lent -= classBytes(c)
	p.keep(f, c)
	if awaited {
		p.lent += smallCost
		p.peak = max(p.peak, p.lent+p.idle)
	}
}

// done takes in that receivers are done with so many copied frames of an account, which may be nil.
func (p *Pool) done(a *Account, frames uint64) {
	p.lent -= int64(frames) * smallCost
	p.back += frames
	if a != nil {
		a.open.Add(-int64(frames))
	}
}

// await has an account of this pool look for landings.
func (p *Pool) await(a *Account) {
	if a.out == 0 {
		p.away = append(p.away, a)
	}
	a.out++
}

// settle brings accounts up to date with what has landed.
func (p *Pool) settle() {
	still := p.away[:0]
	for _, a := range p.away {
		n := a.own.frames.Load() - a.seen
		a.seen += n
		a.out -= int64(n)
		p.done(a, n)
		if a.out > 0 {
			still = append(still, a)
		}
	}
	clear(p.away[len(still):])
	p.away = still
}

// smallCost is what any frame costs whose contents fit into a slot.
var smallCost = FrameCost(inlineMax)
