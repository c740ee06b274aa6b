package sim

import (
	"iter"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// rank is one rank's end of the network: a [netio.Port]. Its function runs as a coroutine that the world resumes.
type rank struct {
	world   *World
	process *Process
	id      int
	pool    *netio.Pool
	tie     uint64 // orders ranks of one moment

	clock   instant
	key     instant // when it goes on at the latest, while it does not run
	parked  bool    // in Wait: what arrives brings it forward
	woken   bool    // somebody has called Wake
	back    bool    // frames have come back since the last Wait
	ended   bool
	frozen  instant // it does not go on before
	traffic         // of frames that don't leave the host

	inbox    heap[parcel]
	returns  heap[comeback]
	core     *core // nil when it holds none, or has one of its own
	batches  batches
	receipts receipts
	prompt   map[*netio.Frame]bool // of this rank's that are under way: word of their release is to come promptly
	done     func() netio.Work     // nil: nobody tells
	worked   netio.Work            // what was paid for
	owing    float64               // picoseconds below one
	resume   func() (struct{}, bool)
	yield    func(struct{}) bool
}

// parcel is a frame on its way.
type parcel struct {
	at     instant
	number uint64
	frame  *netio.Frame
	seal   *seal // nil where nothing can go wrong
	opens  bool  // it is the first of a batch
}

func (p parcel) before(o parcel) bool { return p.at < o.at || p.at == o.at && p.number < o.number }

// comeback is a frame on its way home.
type comeback struct {
	at     instant
	number uint64
	frame  *netio.Frame
	from   *Process // that told
	pays   instant  // whoever reads that
}

func (c comeback) before(o comeback) bool { return c.at < o.at || c.at == o.at && c.number < o.number }

var (
	_ netio.Port  = (*rank)(nil)
	_ netio.Meter = (*rank)(nil)
)

func (r *rank) open(w *World, id int) {
	r.world, r.id, r.process, r.tie = w, id, w.processes[w.layout.process[id]], tie(w.config.Seed, id)
	r.pool = netio.NewPool(keeper{rank: r})
}

// start makes the coroutine.
func (r *rank) start(function func()) {
	r.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		r.yield = yield
		function()
	})
	r.world.queue.push(r.key, r.tie)
}

// Send implements [netio.Port].
func (r *rank) Send(f *netio.Frame) {
	w := r.world
	w.mu.Lock()
	r.pay()
	r.sync()
	w.share(r)
	r.tellLate()
	gone := w.carry(r, f)
	w.mu.Unlock()
	if !gone {
		f.Release()
	}
}

// Recv implements [netio.Port].
func (r *rank) Recv() *netio.Frame {
	w := r.world
	w.mu.Lock()
	defer w.mu.Unlock()
	r.pay()
	r.sync()
	w.share(r)
	r.tellLate()
	for {
		r.mature()
		if len(r.inbox) == 0 || r.inbox[0].at > r.clock {
			r.clock += w.charges.look
			return nil
		}
		p := r.inbox.pop()
		if p.seal != nil && !w.opened(r, p) {
			continue
		}
		f := p.frame
		r.clock += w.charges.end(w.layout.class(int(f.From), r.id), f.Bytes, p.opens)
		w.trace.frame(r.clock, "take", f)
		return f
	}
}

// Fetch implements [netio.Port]: there is nothing to bring near.
func (r *rank) Fetch() {}

// Pool implements [netio.Port].
func (r *rank) Pool() *netio.Pool { return r.pool }

// Wait implements [netio.Port].
func (r *rank) Wait(d time.Duration) {
	w := r.world
	w.mu.Lock()
	defer w.mu.Unlock()
	r.pay()
	r.batches.leave()
	r.tellAll()
	r.mature()
	if !r.woken && !r.back {
		r.park(d)
	}
	r.woken, r.back = false, false
}

// park lets the rank rest until something comes for it. The world is locked.
func (r *rank) park(d time.Duration) {
	r.key = min(r.clock+instantOf(d), never)
	r.parked = true
	r.world.rise(r)
	r.suspend()
	r.parked = false
	r.mature()
}

// due is when a rank goes on that has just given its turn back. It is asked under the same lock under which the rank comes into the
// queue: until then nobody can bring it forward, and somebody outside may have woken it. The world is locked.
func (r *rank) due() instant {
	at := r.key
	switch {
	case !r.parked:
		return at
	case r.woken || r.back:
		return r.clock
	}
	if len(r.inbox) > 0 {
		at = min(at, max(r.clock, r.inbox[0].at))
	}
	if len(r.returns) > 0 {
		at = min(at, max(r.clock, r.returns[0].at))
	}
	return at
}

// Wake implements [netio.Port].
func (r *rank) Wake() {
	w := r.world
	w.mu.Lock()
	defer w.mu.Unlock()
	r.woken = true
	if r.parked {
		w.queue.sooner(r.id, max(r.clock, w.now))
	}
	w.knock()
}

// Pause implements [netio.Port].
func (r *rank) Pause() {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.pay()
	r.clock += r.world.charges.look
	r.batches.leave()
	r.tellPrompt()
	if r.world.wanted(r) {
		r.world.rise(r)
		r.key = r.clock
		r.suspend()
		return
	}
	r.sync()
	r.mature()
}

// Now implements [netio.Port]: virtual time.
func (r *rank) Now() time.Duration {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.pay()
	return r.clock.duration()
}

// Meter implements [netio.Meter].
func (r *rank) Meter(done func() netio.Work) { r.done = done }

// Compute implements [netio.Meter].
func (r *rank) Compute(d time.Duration) {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.pay()
	r.clock += instantOf(max(d, 0))
}

// pay lets the time pass that the rank's work since the last look has taken.
func (r *rank) pay() {
	if r.done == nil {
		return
	}
	c, now := &r.world.charges, r.done()
	r.owing += c.send*float64(now.Sent-r.worked.Sent) + c.handle*float64(now.Handled-r.worked.Handled) +
		c.pass*float64(now.Passed-r.worked.Passed)
	r.worked = now
	whole := instant(r.owing)
	r.clock += whole
	r.owing -= float64(whole)
}

// sync lets others run while they could still send what this rank must see by now. The world is locked.
func (r *rank) sync() {
	if w := r.world; w.running == r && r.clock > w.horizon() {
		r.key = r.clock
		r.suspend()
	}
}

// suspend gives the turn back to the world.
func (r *rank) suspend() {
	r.world.mu.Unlock()
	r.yield(struct{}{})
	r.world.mu.Lock()
}

// mature takes home the frames whose release is known here by now.
func (r *rank) mature() {
	for len(r.returns) > 0 && r.returns[0].at <= r.clock {
		c := r.returns.pop()
		if p := r.process.passages[c.from]; p != nil {
			p.frames--
		}
		r.clock += c.pays
		r.pool.TakeBack(c.frame)
		r.back = true
	}
}

// keeper lets the frames of a rank's pool take their way back when they are released.
type keeper struct {
	netio.Heap
	rank *rank
}

// Release implements [netio.Keeper].
func (k keeper) Release(_ *netio.Pool, f *netio.Frame) { k.rank.released(f) }

// released is what the release of a frame of this rank's pool comes to. Word of a data frame takes as long as a frame without bytes would;
// a control frame has left this rank for good when it was sent.
func (r *rank) released(f *netio.Frame) {
	w := r.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Kind == netio.Data && w.running != nil {
		r.comeHome(f)
		return
	}
	r.pool.TakeBack(f)
	r.back = true
	if r.parked {
		w.queue.sooner(r.id, max(r.clock, w.time()))
	}
	if w.running == nil {
		w.knock() // who releases may be outside of the world
	}
}

// comeHome lets a released frame be on its way home. The world is locked, and a rank runs.
func (r *rank) comeHome(f *netio.Frame) {
	by := r.world.running
	k := r.world.layout.class(by.id, r.id)
	switch c := &r.world.charges; {
	case by == r:
		r.expect(comeback{at: r.clock, frame: f})
	case c.batch[k] > 0:
		by.owe(k, loan{f, r})
	default:
		r.expect(comeback{at: by.clock + c.latency[k], frame: f})
	}
}

// expect lets a frame be on its way home. The world is locked.
func (r *rank) expect(c comeback) {
	w := r.world
	c.number = w.number()
	r.returns.push(c)
	if r.parked {
		w.queue.sooner(r.id, max(r.clock, c.at))
	}
}

// clear gives back whatever is for this rank or on its way home to it. The world is locked.
func (r *rank) clear() {
	for len(r.inbox) > 0 {
		r.world.litter.Push(r.inbox.pop().frame)
	}
	for len(r.returns) > 0 {
		r.pool.TakeBack(r.returns.pop().frame)
	}
	for _, d := range r.receipts.order {
		for _, l := range d.loans {
			l.owner.pool.TakeBack(l.frame)
		}
	}
	r.receipts = receipts{}
}
