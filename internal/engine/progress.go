package engine

import (
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// framesAtOnce bounds the frames that one call of Progress takes in, so that a send does not keep its caller for long.
const framesAtOnce = 64

// Progress takes in frames that have arrived and handles what handlers have sent to this rank. It never waits. It tells
// whether there was anything to do. It is for the main function's side: a handler never runs another handler.
func (r *Rank) Progress() bool {
	worked, open := false, r.accesses()
	for range framesAtOnce {
		f := r.receive()
		if f == nil {
			break
		}
		r.arrive(f)
		worked = true
	}
	if r.Backlog > 0 {
		r.pump()
	}
	if !r.stalled.Empty() && r.retryStalled() {
		worked = true
	}
	if r.links.Version() != r.linksSeen {
		r.reroute()
	}
	return r.drain() || worked || r.accesses() < open // whoever waits for operations is to look again
}

// pump sends frames for which credit has come.
func (r *Rank) pump() {
	for _, t := range r.targets {
		t.outbox.Pump()
	}
}

// Turn is Progress for a rank that waits inside an epoch: steady arrivals may keep it from ever being idle, so that it
// sends what is due as well.
func (r *Rank) Turn() bool {
	worked := r.Progress()
	if worked {
		r.spend(1)
	}
	return worked
}

// spend notes n pieces of work, and now and then looks at the clock and sends what is due. It tells whether it has.
func (r *Rank) spend(n int) bool {
	if r.tick <= 0 || !r.sampler.Spend(n) {
		return false
	}
	r.flushDue()
	return true
}

// drain handles what handlers have sent to this very rank so far.
func (r *Rank) drain() bool {
	if r.Queued == 0 {
		return false
	}
	for _, t := range r.targets {
		t.endpoint.Drain()
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
		case posting:
			r.posted(f)
		default:
			r.control.put(f)
		}
	case netio.Data:
		if !r.inEpoch() || f.Epoch != r.Sender.Epoch {
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
	if int32(f.Epoch-r.Sender.Epoch) <= 0 {
		r.refuse(f, fmt.Sprintf("it belongs to epoch %d, which has ended here", f.Epoch))
	}
	r.futureEpoch.Push(f)
}

// receive returns the next frame that has arrived: those that waited for this epoch first.
func (r *Rank) receive() *netio.Frame {
	if f := r.deferred.Shift(); f != nil {
		return f
	}
	return r.Port.Recv()
}

func (r *Rank) deliver(f *netio.Frame) {
	if int(f.Target) >= len(r.targets) {
		r.refuse(f, fmt.Sprintf("it is for target %d, and %d are registered", f.Target, len(r.targets)))
	}
	target := r.targets[f.Target]
	if f.Check != target.Fingerprint {
		r.refuse(f, fmt.Sprintf("its pebbles are of another type than those of target %q", target.Name))
	}
	r.Count.FramesReceived++
	if !target.outbox.Accepts(f) {
		r.stall(f)
		return
	}
	r.handle(f)
}

// handle handles a frame.
func (r *Rank) handle(f *netio.Frame) {
	r.mode, r.depth = nested, int(f.Flags)
	err := r.targets[f.Target].endpoint.Deliver(f)
	r.mode, r.depth = busy, 0
	if err != nil {
		r.refuse(f, err.Error())
	}
	if r.Ledger != nil {
		if f.Tag > r.phases {
			r.refuse(f, fmt.Sprintf("it is of phase %d of its link, the last is %d", f.Tag, r.phases))
		}
		r.Ledger.Process(int(f.From), f.Tag)
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

// Rest is what a rank does between two looks that found nothing: yield at first, then park.
func (r *Rank) Rest(idle int) { r.restAfter(idle, r.Spins) }

// restAfter is Rest with the number of looks before the rank parks.
func (r *Rank) restAfter(idle, spins int) {
	r.Check()
	if idle < spins {
		r.Port.Pause()
		return
	}
	r.Pool.Lent() // collects what has come back: other ranks may wait for that, where they share accounts
	if back := r.Pool.Back(); back != r.lastBack {
		r.lastBack = back // credit may have come with them after this rank has looked for it
		return
	}
	if r.Shared && r.inEpoch() {
		r.Port.Wait(sharedRest) // another rank may have given the credit or the buffer free that this one waits for
		return
	}
	r.Port.Wait(-1)
}

// stall keeps a frame whose pebbles may have to go on over links that wait for credit, so that its sender is held back.
// That one's credit bounds how many there are.
func (r *Rank) stall(f *netio.Frame) {
	r.Count.Held++
	r.stalled.Push(f)
}

// retryStalled takes in the stalled frames that can be taken in now, and reports whether there were any.
func (r *Rank) retryStalled() bool {
	worked := false
	all := r.stalled.Move()
	for f := all.Shift(); f != nil; f = all.Shift() {
		if r.targets[f.Target].outbox.Accepts(f) {
			r.handle(f)
			worked = true
		} else {
			r.stalled.Push(f)
		}
	}
	return worked
}

// Exceeded implements coalesce.Engine.
func (r *Rank) Exceeded(target string, needed int64) {
	cause := FromMain
	if r.InHandler() || r.Queued > r.Filling {
		cause = FromHandlers
	}
	r.Fail(r.job.config.Errors.Limit(r.id, target, needed, r.MemoryLimit, cause))
}

// Poll handles what has arrived for this rank, and sends buffers that are due. A long computation in an epoch's body
// that sends nothing should call it now and then, so that others need not wait. It never waits itself.
func (r *Rank) Poll() {
	const call = "Poll was called"
	r.owned(call)
	if in := r.mode; in != body {
		r.misplaced(in, call, "rank %d: Poll may be called only by the main function in an epoch", r.id)
	}
	r.enter(call)
	r.Check()
	r.Progress()
	r.flushDue()
	r.leave(call, body)
}

func (r *Rank) flushDue() {
	now := r.Port.Now()
	r.sampler.Read(now, r.tick)
	for _, t := range r.targets {
		t.endpoint.FlushDue(now)
	}
	r.dispatch(now)
	r.tuneWithin(now)
}

// Flush sends what waits in caches, and in buffers for links up to a stage.
func (r *Rank) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	for _, t := range r.targets {
		upTo := stage
		if t.description.Beyond > 0 { // somebody's main function may wait for it, whose stage doesn't end before
			upTo = coalesce.AllStages
		}
		s, l := t.endpoint.Flush(why, upTo)
		sent, left = sent || s, left || l
	}
	return sent, left
}
