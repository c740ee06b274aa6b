package sim

import (
	"iter"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// rank is a [netio.Port] of the network. The rank's function runs as a coroutine that the world resumes.
type rank struct {
	world   *World
	process *Process
	id      int
	pool    *netio.Pool
	tie     uint64 // order among simultaneous ranks

	clock    instant
	key      instant // latest time at which it continues, while it does not run
	parked   bool    // in Wait: an arrival brings it forward
	woken    bool    // Wake was called
	returned bool    // frames have returned since the last Wait
	ended    bool
	frozen   instant // it does not continue before this time
	traffic          // frames that do not leave the host

	inbox    heap[parcel]
	returns  heap[returning]
	oneSided *oneSided // nil before its first use
	core     *core     // nil when it holds no core, or has its own
	batches  batches
	pending  pendingAcks
	prompt   map[*netio.Frame]bool // frames of this rank in flight that asked for a prompt ack
	done     func() netio.Work     // counts the rank's work; nil if unknown
	worked   netio.Work            // work whose time has passed
	fraction float64               // unpaid part of a picosecond
	resume   func() (struct{}, bool)
	yield    func(struct{}) bool
}

// parcel is a frame in flight.
type parcel struct {
	at       instant
	number   uint64
	frame    *netio.Frame
	envelope *envelope // nil on a link without faults
	opens    bool      // first frame of a batch
}

func (p parcel) before(o parcel) bool { return p.at < o.at || p.at == o.at && p.number < o.number }

// returning is a released frame whose ack is in flight.
type returning struct {
	at     instant
	number uint64
	frame  *netio.Frame
	from   *Process // process that released it
	pays   instant  // cost for the rank that receives the ack
}

func (c returning) before(o returning) bool {
	return c.at < o.at || c.at == o.at && c.number < o.number
}

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
	r.preempt()
	r.sendLateAcks()
	sent := w.carry(r, f)
	w.mu.Unlock()
	if !sent {
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
	r.preempt()
	r.sendLateAcks()
	for {
		r.collect()
		if len(r.inbox) == 0 || r.inbox[0].at > r.clock {
			r.clock += w.charges.look
			return nil
		}
		p := r.inbox.pop()
		if p.envelope != nil && !w.faults.intact(r, p) {
			continue
		}
		f := p.frame
		r.clock += w.charges.ofEnd(w.layout.class(int(f.From), r.id), f.Bytes, p.opens)
		return f
	}
}

// Fetch implements [netio.Port]. It has no effect.
func (r *rank) Fetch() {}

// Pool implements [netio.Port].
func (r *rank) Pool() *netio.Pool { return r.pool }

// Wait implements [netio.Port].
func (r *rank) Wait(d time.Duration) {
	w := r.world
	w.mu.Lock()
	defer w.mu.Unlock()
	r.pay()
	r.batches.closeAll()
	r.sendAllAcks()
	r.collect()
	if !r.woken && !r.returned {
		r.park(d)
	}
	r.woken, r.returned = false, false
}

// park suspends the rank until something arrives. The world is locked.
func (r *rank) park(d time.Duration) {
	r.key = min(r.clock+instantOf(d), never)
	r.parked = true
	r.world.cores.release(r)
	r.suspend()
	r.parked = false
	r.collect()
}

// due returns the time at which a rank that has just ended its turn continues. The caller holds the lock under which
// the rank enters the queue: before that nothing can bring the rank forward, and a goroutine outside may have woken it.
// The world is locked.
func (r *rank) due() instant {
	at := r.key
	switch {
	case !r.parked:
		return at
	case r.woken || r.returned:
		return r.clock
	}
	if len(r.inbox) > 0 {
		at = min(at, max(r.clock, r.inbox[0].at))
	}
	if len(r.returns) > 0 {
		at = min(at, max(r.clock, r.returns[0].at))
	}
	if o := r.oneSided; o != nil && len(o.results) > 0 {
		at = min(at, max(r.clock, o.results[0].at))
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
	w.resumeStalled()
}

// Pause implements [netio.Port].
func (r *rank) Pause() {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.pay()
	r.clock += r.world.charges.look
	r.batches.closeAll()
	r.sendPromptAcks()
	if r.world.cores.wanted(r) {
		r.world.cores.release(r)
		r.key = r.clock
		r.suspend()
		return
	}
	r.sync()
	r.collect()
}

// Now implements [netio.Port]. It returns virtual time.
func (r *rank) Now() time.Duration {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.pay()
	return r.clock.duration()
}

// Meter implements [netio.Meter].
func (r *rank) Meter(done func() netio.Work) { r.done = done }

// Compute implements [netio.Meter]. Other ranks reach the new time first, so that this rank's next access to memory
// that it shares with them comes after theirs.
func (r *rank) Compute(d time.Duration) {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.pay()
	r.clock += instantOf(max(d, 0))
	r.sync()
}

// pay advances the clock by the time of the rank's work since the last call.
func (r *rank) pay() {
	if r.done == nil {
		return
	}
	c, now := &r.world.charges, r.done()
	r.fraction += c.send*float64(now.Sent-r.worked.Sent) + c.handle*float64(now.Handled-r.worked.Handled) +
		c.pass*float64(now.Passed-r.worked.Passed)
	r.worked = now
	whole := instant(r.fraction)
	r.clock += whole
	r.fraction -= float64(whole)
}

// sync lets other ranks run while they could still send something that arrives by now. The world is locked.
func (r *rank) sync() {
	if w := r.world; w.running == r && r.clock > w.horizon() {
		r.key = r.clock
		r.suspend()
	}
}

// suspend returns the turn to the world.
func (r *rank) suspend() {
	r.world.mu.Unlock()
	r.yield(struct{}{})
	r.world.mu.Lock()
}

// collect handles all arrivals except frames. The world is locked.
func (r *rank) collect() {
	r.collectAcks()
	if r.oneSided != nil {
		r.oneSided.collect()
	}
}

// collectAcks returns frames to the pool whose acks have arrived.
func (r *rank) collectAcks() {
	for len(r.returns) > 0 && r.returns[0].at <= r.clock {
		c := r.returns.pop()
		if p := r.process.inFlight[c.from]; p != nil {
			p.frames--
		}
		r.clock += c.pays
		r.pool.TakeBack(c.frame)
		r.returned = true
	}
}

// keeper sends an ack when a frame of a rank's pool is released.
type keeper struct {
	netio.Heap
	rank *rank
}

// Release implements [netio.Keeper].
func (k keeper) Release(_ *netio.Pool, f *netio.Frame) { k.rank.released(f) }

// released handles the release of a frame of this rank's pool. The ack of a data frame takes the time of an empty
// frame. A control frame needs no ack.
func (r *rank) released(f *netio.Frame) {
	w := r.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Kind == netio.Data && w.running != nil {
		r.acknowledge(f)
		return
	}
	r.pool.TakeBack(f)
	r.returned = true
	if r.parked {
		w.queue.sooner(r.id, max(r.clock, w.time()))
	}
	if w.running == nil {
		w.resumeStalled() // the caller may be outside the world
	}
}

// acknowledge sends the ack of a released frame, or defers it. The world is locked, and a rank runs.
func (r *rank) acknowledge(f *netio.Frame) {
	by := r.world.running
	k := r.world.layout.class(by.id, r.id)
	switch c := &r.world.charges; {
	case by == r:
		r.expect(returning{at: r.clock, frame: f})
	case c.batch[k] > 0:
		by.deferAck(k, ack{f, r})
	default:
		r.expect(returning{at: by.clock + c.latency[k], frame: f})
	}
}

// expect queues an ack in flight. The world is locked.
func (r *rank) expect(c returning) {
	w := r.world
	c.number = w.number()
	r.returns.push(c)
	if r.parked {
		w.queue.sooner(r.id, max(r.clock, c.at))
	}
}

// clear releases all frames in flight to this rank and takes back its own. The world is locked.
func (r *rank) clear() {
	for len(r.inbox) > 0 {
		r.world.unreleased.Push(r.inbox.pop().frame)
	}
	for len(r.returns) > 0 {
		r.pool.TakeBack(r.returns.pop().frame)
	}
	for _, d := range r.pending.order {
		for _, l := range d.acks {
			l.owner.pool.TakeBack(l.frame)
		}
	}
	r.pending = pendingAcks{}
}
