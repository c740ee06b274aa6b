package engine

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/termination"
)

// Plan describes one epoch. It is equal on all ranks.
type Plan struct {
	Name     string // for observers; "" for none
	Depth    int
	Declared bool              // Depth holds
	Detector termination.Maker // nil is the job's
	Idle     func() bool       // idle work of the main function; nil for none
}

func (p Plan) check(beyond int) error {
	if p.Declared && (p.Depth < 1 || p.Depth > depthMax-beyond) {
		return fmt.Errorf("pebble: epoch: depth %d: the shortest chain is 1 pebble, the longest that can be "+
			"declared %d; leave it out for chains of any length", p.Depth, depthMax-beyond)
	}
	if p.Declared && p.Idle != nil {
		return errors.New("pebble: epoch: a declared depth and idle work: what idle work sends begins chains for " +
			"as long as others send to it, so their length is not known: leave the depth out")
	}
	return nil
}

// Epoch runs f, and returns when the detector reports the end of the epoch.
func (r *Rank) Epoch(f func() error, plan Plan) error {
	const call = "Epoch was called"
	r.ownedAnew(call)
	if in := r.mode; in != outside {
		r.misplaced(in, call, "Epoch was called inside an epoch: epochs do not nest")
	}
	run := func() error {
		if err := agree(r); err != nil {
			return err
		}
		if err := r.prepare(f, plan); err != nil {
			r.Fail(&rankError{r.id, err})
		}
		if r.Explains.next {
			r.Explains.next, r.Explains.any = false, true
			return r.Job.config.Explain(r, plan.Depth)
		}
		if r.Job.config.Lone {
			r.Fail(errors.New("pebble: with this many ranks only rank 0 runs to explain an epoch, so epochs before it " +
				"cannot run: explain the job with fewer ranks"))
		}
		r.Publisher.begins(board.Epoch, plan.Name)
		r.open(plan)
		r.mode = body
		err := f()
		r.beginCall("an epoch's function returned")
		if err != nil {
			r.Fail(&rankError{r.id, err})
		}
		r.quiesce(board.ForEnd, "", nil)
		r.Exposed.check()
		r.Tasks.complete()
		r.end()
		return nil
	}
	if r.port != nil {
		return r.port.during(call, func() error { return r.guard(run) })
	}
	return r.guard(run)
}

// prepare checks that an epoch may begin, and makes the settings and the detector fit it.
func (r *Rank) prepare(f func() error, plan Plan) error {
	if err := plan.check(r.Targets.beyond); err != nil {
		return err
	}
	if err := r.Hooks.mayBegin("an epoch"); err != nil {
		return err
	}
	if f == nil {
		return errors.New("pebble: epoch: it has no function: give one, which may do nothing")
	}
	if r.tuner != nil {
		if err := r.tuner.before(plan); err != nil {
			return err
		}
	}
	return r.Detection.detect(plan)
}

// open begins an epoch.
func (r *Rank) open(plan Plan) {
	r.limit = r.Detection.chains(plan.Depth)
	r.Sender.Deep = r.limit > 0 && r.limit+r.Targets.beyond > 1
	r.Check()
	r.Sender.Epoch++
	r.mode = busy
	r.Marks.follow()
	if r.tuner != nil {
		r.tuner.begun()
	}
	r.Detection.detector.Begin()
	if r.Sender.Ledger != nil {
		r.Sender.Ledger.Clear()
	}
	r.Loop.arrivals.beginEpoch()
	r.Tasks.begin(plan.Idle, r.limit == 0)
}

// end ends an epoch whose pebbles have all been handled.
func (r *Rank) end() {
	r.Targets.endEpoch()
	r.mode = outside
	if r.tuner != nil {
		r.tuner.ended()
	}
	r.Publisher.ends()
	r.Sender.Count.Epochs++
	r.Sender.Count.Rounds = r.Detection.rounds + r.Detection.detector.Rounds()
}

// quiesce waits for the end of the epoch. The pebbles in buffers leave when the rank has nothing else to do, but not
// before other ranks have had a turn: they may be about to send more. A rank is at rest after a number of consecutive
// looks that found nothing. If chains have no known end, that number grows with the unsuccessful rounds: in a long
// chain of pebbles most ranks are idle most of the time, and rounds of detection would take the chain's time. A rank
// that holds nothing, and that no frame has reached, takes part in detection with its first look: in an epoch without
// pebbles, letting others have a turn first would cost as much again as the messages.
//
// It returns true at the end of the epoch, and false if done has returned true before. A nil done never stops it.
func (r *Rank) quiesce(wait board.Wait, call string, done func() bool) (ended bool) {
	d, tasks, seen := &r.Detection, &r.Tasks, r.Publisher.board
	seen.Waits(wait, call)
	defer seen.Waited()
	before, processed, idle := d.detector.Rounds(), r.Loop.arrivals.processed, 0
	if !r.Targets.holds() {
		idle = 1
	}
	for ; done == nil || !done(); idle++ {
		stage := d.stage()
		worked, unfinished := r.Loop.Turn(), false
		if tasks.active {
			worked, unfinished = tasks.work(worked)
			seen.Waits(wait, call) // idle work may have waited for something else
		}
		if worked {
			idle = 0
		}
		left := true
		if idle > 0 {
			if tasks.active && tasks.holdsBuffers(idle) {
				continue
			}
			var sent bool
			if sent, left = r.Targets.Flush(coalesce.Idle, stage); sent {
				idle = 0
				continue
			}
		}
		polls := pollsAtRest(d.detector.Rounds() - before)
		atRest := !left && !unfinished && (r.limit > 0 || idle >= polls) && r.nothingWaits()
		if d.detector.Step(d.network, d.state(atRest)) {
			return true
		}
		if d.stage() != stage {
			idle = 0 // more buffers can leave
		}
		if idle > 0 || r.Loop.arrivals.processed != processed || r.Targets.holds() {
			r.Loop.restAfter(idle, max(r.Loop.spins, polls+1))
		}
	}
	return false
}

// nothingWaits reports whether no frame waits on this rank, and no operation on exposed memory is open.
func (r *Rank) nothingWaits() bool {
	return r.Sender.Backlog == 0 && r.Loop.arrivals.stalled.Empty() && r.Exposed.open() == 0
}

// AwaitOthers is Loop.Await for an event that programs of other ranks may or may not cause. Meanwhile this rank is at
// rest; when all ranks are, the epoch and the job end, with an error of some rank's accesses. It is for epochs without
// a declared depth.
func (r *Rank) AwaitOthers(call string, done func() bool) {
	from, active := r.beginCall(call), r.Tasks.active
	began, traced := r.Publisher.Sampled()
	r.Tasks.active = false // no task runs in a call of the main function
	if r.quiesce(board.ForAnswer, call, done) {
		r.Exposed.check()
	}
	r.Tasks.active = active
	if traced {
		r.Publisher.TraceAwait(call, began)
	}
	r.endCall(call, from)
}

// pollsAtRest returns the number of idle polls after which a rank is at rest, after a number of rounds. It stays well
// below the polls after which a rank parks, since the detector must run before.
func pollsAtRest(rounds uint64) int { return 1 << min(rounds, 5) }
