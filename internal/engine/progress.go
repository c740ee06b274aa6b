package engine

import (
	"fmt"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/trace"
	"github.com/activepebbles/pebbles/netio"
)

// framesAtOnce bounds the frames that one call of Progress takes in, so that a send does not keep its caller for long.
const framesAtOnce = 64

// arrivals are the frames of a rank that have arrived and wait.
type arrivals struct {
	rank        *Rank
	futureEpoch netio.Frames // data frames of epochs that have not begun here
	deferred    netio.Frames // data frames that waited for the running epoch
	catchUp     bool         // deferred may hold some
	stalled     netio.Frames // data frames of this epoch that wait until links have credit
}

// Progress takes in frames that have arrived and handles what handlers have sent to this rank. It never waits. It tells
// whether there was anything to do. It is for the main function's side: a handler never runs another handler.
func (r *Rank) Progress() bool {
	worked, open := false, r.openAccesses()
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
	if r.openAccesses() < open {
		r.publisher.moved++
		worked = true // whoever waits for operations is to look again
	}
	return r.drain() || worked
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
		r.worked(1)
	}
	return worked
}

// worked notes n pieces of work, and now and then looks at the clock and sends what is due. It reports whether it has.
func (r *Rank) worked(n int) bool {
	if !r.spend(n) {
		return false
	}
	r.flushDue()
	return true
}

// wait is one turn of a wait of the main function's: it handles what has arrived, or rests. idle is how many turns
// before it found nothing; it returns that number for the next.
func (r *Rank) wait(idle int) int {
	r.Check()
	if r.Turn() {
		return 0
	}
	r.Count.Waits++
	r.Rest(idle)
	return idle + 1
}

// AwaitCredit lets the main function wait until a lane, from which a frame has left, has no backlog.
func (t *Target) AwaitCredit(lane int) {
	t.Progress()
	if !t.outbox.Waits(lane) {
		return
	}
	t.board.WaitsForLink(board.ForCredit, t.Name, t.outbox.Plan.Lanes[lane])
	for idle := 0; t.outbox.Waits(lane); {
		idle = t.wait(idle)
	}
	t.board.Waited()
}

// AwaitBudget lets the main function wait until another frame of so many bytes may be in flight.
func (t *Target) AwaitBudget(bytes int) {
	if t.Fits(bytes) {
		return
	}
	t.board.WaitsForLink(board.ForRoom, t.Name, -1)
	defer t.board.Waited()
	for idle := 0; !t.Fits(bytes); idle++ {
		t.Count.Waits++
		if t.Turn() {
			idle = -1
			continue
		}
		t.Rest(idle)
	}
}

// AwaitCredits lets the main function wait, ahead of a send that must not, until no frame waits for credit, and another
// one may be in flight.
func (t *Target) AwaitCredits() {
	if t.outbox.AnyWaits() {
		t.board.WaitsForLink(board.ForCredit, t.Name, -1)
		for idle := 0; t.outbox.AnyWaits(); {
			idle = t.wait(idle)
		}
		t.board.Waited()
	}
	t.AwaitBudget(t.outbox.FirstBytes())
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

func (a *arrivals) arrive(f *netio.Frame) {
	switch f.Kind {
	case netio.Control:
		switch purpose(f.Check) {
		case marking:
			a.rank.marked(f)
		case posting:
			a.rank.posted(f)
		default:
			a.rank.control.put(f)
		}
	case netio.Data:
		if !a.rank.inEpoch() || f.Epoch != a.rank.Sender.Epoch {
			a.postpone(f)
			return
		}
		a.deliver(f)
	default:
		a.refuse(f, "it is of no known kind")
	}
}

// postpone keeps a data frame of an epoch that has not begun here. Its sender has passed a point that we have yet to
// pass; its budget bounds how much it can send us.
func (a *arrivals) postpone(f *netio.Frame) {
	if int32(f.Epoch-a.rank.Sender.Epoch) <= 0 {
		a.refuse(f, fmt.Sprintf("it belongs to epoch %d, which has ended here", f.Epoch))
	}
	a.futureEpoch.Push(f)
}

// receive returns the next frame that has arrived: those that waited for this epoch first.
func (a *arrivals) receive() *netio.Frame {
	if a.catchUp {
		if f := a.deferred.Shift(); f != nil {
			return f
		}
		a.catchUp = false
	}
	return a.rank.Port.Recv()
}

func (a *arrivals) deliver(f *netio.Frame) {
	if int(f.Target) >= len(a.rank.numbered) || a.rank.numbered[f.Target] == nil {
		a.refuse(f, fmt.Sprintf("it is for target %d, which is not registered", f.Target))
	}
	target := a.rank.numbered[f.Target]
	if f.Check != target.Fingerprint {
		a.refuse(f, fmt.Sprintf("its pebbles are of another type than those of target %q", target.Name))
	}
	a.rank.Count.FramesReceived++
	if !a.handle(f) {
		a.rank.Count.Held++
		a.stalled.Push(f) // its sender's credit bounds how many there are
	}
}

// handle handles a frame, if its target takes it now: otherwise its pebbles may have to go on over links that wait for
// credit, and its sender is held back.
func (a *arrivals) handle(f *netio.Frame) (taken bool) {
	a.rank.mode, a.rank.depth = nested, int(f.Flags)
	began, traced := a.rank.Sampled()
	target := a.rank.numbered[f.Target]
	target.labels.Put()
	taken, err := target.endpoint.Deliver(f)
	target.labels.Drop()
	a.rank.mode, a.rank.depth = busy, 0
	if traced && taken {
		a.rank.slice(trace.Handler, target.Name, began, uint64(f.Count), uint64(f.From))
	}
	if err != nil {
		a.refuse(f, err.Error())
	}
	if !taken {
		return false
	}
	if a.rank.Ledger != nil {
		if f.Tag > a.rank.phases {
			a.refuse(f, fmt.Sprintf("it is of phase %d of its link, the last is %d", f.Tag, a.rank.phases))
		}
		a.rank.Ledger.Process(int(f.From), f.Tag)
	}
	f.Release()
	a.rank.processed++
	return true
}

// refuse ends the job: a frame makes no sense.
func (x *arrivals) refuse(f *netio.Frame, why string) {
	from := f.From
	f.Release()
	x.rank.Fail(fmt.Errorf("pebble: rank %d refuses a frame from rank %d: %s", x.rank.id, from, why))
}

// spinsBeforePark is how many times a rank that has nothing to do looks again, and lets others run, before it parks.
const spinsBeforePark = 256

// Rest is what a rank does between two looks that found nothing: yield at first, then park.
func (r *Rank) Rest(idle int) { r.restAfter(idle, r.spins) }

// restAfter is Rest with the number of looks before the rank parks.
func (r *Rank) restAfter(idle, spins int) {
	r.Check()
	if idle < spins {
		if r.board.Asked() {
			r.looks(r.Port.Now())
		}
		r.Port.Pause()
		return
	}
	r.Pool.Lent() // collects what has come back
	if back := r.Pool.Back(); back != r.lastBack {
		r.lastBack = back // credit may have come with them after this rank has looked for it
		return
	}
	now := r.Port.Now()
	r.board.Parks()
	r.looks(now)
	r.Port.Wait(-1)
	if r.trace != nil {
		r.slice(trace.Wait, r.board.WaitsFor().String(), now, 1, trace.None)
	}
}

// retryStalled takes in the stalled frames that can be taken in now, and reports whether there were any.
func (a *arrivals) retryStalled() bool {
	worked := false
	all := a.stalled.Move()
	for f := all.Shift(); f != nil; f = all.Shift() {
		if a.handle(f) {
			worked = true
		} else {
			a.stalled.Push(f)
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
		r.misplaced(in, call, "Poll may be called only by the main function in an epoch")
	}
	r.beginCall(call)
	r.Check()
	r.Progress()
	r.flushDue()
	r.endCall(call, body)
}

func (r *Rank) flushDue() {
	now := r.Port.Now()
	r.looked(now)
	r.looks(now)
	for _, t := range r.targets {
		t.endpoint.FlushDue(now)
	}
	r.dispatch(now)
}

// holds reports whether anything may wait in a buffer or a cache of a target.
func (r *Rank) holds() bool {
	for _, t := range r.targets {
		if t.endpoint.Holds() {
			return true
		}
	}
	return false
}

// Flush sends what waits in caches, and in buffers for links up to a stage.
func (r *Rank) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	for _, t := range r.targets {
		upTo := stage
		if t.description.ExtraDepth > 0 { // somebody's main function may wait for it, whose stage doesn't end before
			upTo = coalesce.AllStages
		}
		s, l := t.endpoint.Flush(why, upTo)
		sent, left = sent || s, left || l
	}
	return sent, left
}
