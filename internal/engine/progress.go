package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// framesAtOnce bounds the frames that one call of progress takes in, so that a send does not keep its caller for long.
const framesAtOnce = 64

// progress takes in frames that have arrived and handles what handlers have sent to this rank. It never waits. It tells
// whether there was anything to do. It is for the main function's side: a handler never runs another handler.
func (r *Rank) progress() bool {
	worked := false
	for range framesAtOnce {
		f := r.receive()
		if f == nil {
			break
		}
		r.arrive(f)
		worked = true
	}
	if r.backlog > 0 {
		r.pump()
	}
	if !r.held.Empty() && r.retry() {
		worked = true
	}
	if r.links.Version() != r.linksSeen {
		r.reroute()
	}
	return r.drain() || worked
}

// pump sends frames for which credit has come.
func (r *Rank) pump() {
	for _, e := range r.endpoints {
		e.Pump()
	}
}

// turn is progress for a rank that waits inside an epoch: steady arrivals may keep it from ever being idle, so that it
// sends what is due as well.
func (r *Rank) turn() bool {
	worked := r.progress()
	if worked {
		r.spend(1)
	}
	return worked
}

// spend notes n pieces of work, and now and then looks at the clock and sends what is due.
func (r *Rank) spend(n int) {
	if r.tick > 0 && r.pace.Spend(n) {
		r.flushDue()
	}
}

// drain handles what handlers have sent to this very rank so far.
func (r *Rank) drain() bool {
	if r.queued == 0 {
		return false
	}
	for _, e := range r.endpoints {
		e.Drain()
	}
	return true
}

func (r *Rank) arrive(f *netio.Frame) {
	switch f.Kind {
	case netio.Control:
		switch purpose(f.Check) {
		case marking:
			r.marked(f)
		case Refactoring:
			r.refactored(f)
		default:
			r.control.put(f)
		}
	case netio.Data:
		if !r.inEpoch() || f.Epoch != r.epoch {
			r.postpone(f)
			return
		}
		r.deliver(f)
	default:
		r.refuse(f, "it is of no known kind")
	}
}

// postpone keeps a data frame of an epoch that has not begun here. Its sender has passed a point that we have yet to
// pass; its budget bounds how much it can send us.
func (r *Rank) postpone(f *netio.Frame) {
	if int32(f.Epoch-r.epoch) <= 0 {
		r.refuse(f, fmt.Sprintf("it belongs to epoch %d, which has ended here", f.Epoch))
	}
	r.later.Push(f)
}

// receive returns the next frame that has arrived: those that waited for this epoch first.
func (r *Rank) receive() *netio.Frame {
	if f := r.ready.Shift(); f != nil {
		return f
	}
	return r.port.Recv()
}

func (r *Rank) deliver(f *netio.Frame) {
	if int(f.Target) >= len(r.endpoints) {
		r.refuse(f, fmt.Sprintf("it is for target %d, and %d are registered", f.Target, len(r.endpoints)))
	}
	target := r.targets[f.Target]
	if f.Check != target.fingerprint {
		r.refuse(f, fmt.Sprintf("its pebbles are of another type than those of target %q", target.name))
	}
	r.counters.FramesReceived++
	if !r.endpoints[f.Target].Accepts(f) {
		r.hold(f)
		return
	}
	r.take(f)
}

// take handles a frame.
func (r *Rank) take(f *netio.Frame) {
	r.mode, r.depth = nested, int(f.Flags)
	err := r.endpoints[f.Target].Deliver(f)
	r.mode, r.depth = busy, 0
	if err != nil {
		r.refuse(f, err.Error())
	}
	if r.ledger != nil {
		if f.Tag > r.phases {
			r.refuse(f, fmt.Sprintf("it is of phase %d of its link, the last is %d", f.Tag, r.phases))
		}
		r.ledger.Process(int(f.From), f.Tag)
	}
	f.Release()
	r.processed++
}

// refuse ends the job: a frame makes no sense.
func (r *Rank) refuse(f *netio.Frame, why string) {
	from := f.From
	f.Release()
	r.Fail(fmt.Errorf("pebble: rank %d refuses a frame from rank %d: %s", r.id, from, why))
}

// spinsBeforePark is how many times a rank that has nothing to do looks again, and lets others run, before it parks.
const spinsBeforePark = 256

// sharedRest bounds how long a rank parks while it may wait for what it shares with other ranks.
const sharedRest = time.Millisecond

// rest is what a rank does between two looks that found nothing: yield at first, then park.
func (r *Rank) rest(idle int) { r.restAfter(idle, r.spins) }

// restAfter is rest with the number of looks before the rank parks.
func (r *Rank) restAfter(idle, spins int) {
	r.check()
	if idle < spins {
		r.port.Pause()
		return
	}
	r.pool.Lent() // collects what has come back: other ranks may wait for that, where they share accounts
	if back := r.pool.Back(); back != r.lastBack {
		r.lastBack = back // credit may have come with them after this rank has looked for it
		return
	}
	if r.job.config.Shared && r.inEpoch() {
		r.port.Wait(sharedRest) // another rank may have given the credit or the buffer free that this one waits for
		return
	}
	r.port.Wait(-1)
}

// room waits until another frame of so many bytes may be under way, and handles what arrives meanwhile. Messages of detectors
// don't count: they come back when their receiver looks at them, which may be waiting for room as well.
func (r *Rank) room(bytes int64) {
	for idle := 0; ; idle++ {
		if r.fits(r.pool.LentAtMost(), bytes) || r.fits(r.pool.Lent(), bytes) {
			return
		}
		r.counters.Waits++
		if r.turn() {
			idle = 0
			continue
		}
		if idle >= r.spins && r.Shares() {
			r.flush(coalesce.Due, AllStages) // what this rank waits for may lie in a buffer that it shares, and that nobody else will send
		}
		r.rest(idle)
	}
}

// fits tells whether another frame of so many bytes may be under way when so many are lent.
func (r *Rank) fits(lent, bytes int64) bool {
	underWay := lent - r.filling - r.queued - r.messages.UnderWay()*netio.FrameCost(0)
	c := &r.job.config
	return underWay <= 0 || underWay+bytes <= c.BufferBudget && lent+bytes+r.reserved <= c.MemoryLimit
}

// Poll handles what has arrived for this rank, and sends buffers that are due. A long computation in an epoch's body that
// sends nothing should call it now and then, so that others need not wait. It never waits itself.
func (r *Rank) Poll() {
	const call = "Poll was called"
	r.owned(call)
	if in := r.mode; in != body {
		r.misplaced(in, call, "rank %d: Poll may be called only by the main function in an epoch", r.id)
	}
	r.enter(call)
	r.check()
	r.progress()
	r.flushDue()
	r.leave(call, body)
}

func (r *Rank) flushDue() {
	now := r.port.Now()
	r.pace.Read(now, r.tick)
	for _, e := range r.endpoints {
		e.FlushDue(now)
	}
	r.dispatch(now)
	r.tuneWithin(now)
}

// AllStages is a stage that no link is beyond.
const AllStages = math.MaxInt

// flush sends what waits in caches, and in buffers for links up to a stage.
func (r *Rank) flush(why coalesce.Reason, stage int) (sent, left bool) {
	for _, e := range r.endpoints {
		s, l := e.Flush(why, stage)
		sent, left = sent || s, left || l
	}
	return sent, left
}
