package engine

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/termination"
)

// Plan is what one epoch is to be like. All ranks give the same.
type Plan struct {
	Name     string // for those who watch; "" for none
	Depth    int
	Declared bool              // Depth holds
	Detector termination.Maker // nil is that of the job
	Idle     func() bool       // idle work of the main function; nil for none
}

// And is the plan with what another one says besides, or in place of what this one says.
func (p Plan) And(q Plan) Plan {
	if q.Name != "" {
		p.Name = q.Name
	}
	if q.Declared {
		p.Depth, p.Declared = q.Depth, true
	}
	if q.Detector != nil {
		p.Detector = q.Detector
	}
	if q.Idle != nil {
		p.Idle = q.Idle
	}
	return p
}

func (p Plan) check(beyond int) error {
	if p.Declared && (p.Depth < 1 || p.Depth > depthMax-beyond) {
		return fmt.Errorf("pebble: epoch: depth %d: the shortest chain is 1 pebble, the longest that can be "+
			"declared %d; "+
			"leave it out for chains of any length", p.Depth, depthMax-beyond)
	}
	if p.Declared && p.Idle != nil {
		return errors.New("pebble: epoch: a declared depth and idle work: what idle work sends begins chains for " +
			"as long as others send to " +
			"it, so their length is not known: leave the depth out")
	}
	return nil
}

// Epoch runs f, and returns when the detector finds that the epoch has ended.
func (r *Rank) Epoch(f func() error, plan Plan) error {
	const call = "Epoch was called"
	r.ownedAnew(call)
	if in := r.mode; in != outside {
		r.misplaced(in, call, "Epoch was called inside an epoch: epochs do not nest")
	}
	return r.guard(func() error {
		if err := agree(r); err != nil {
			return err
		}
		err := plan.check(r.beyond)
		if err == nil {
			err = r.mayBegin("an epoch")
		}
		if f == nil {
			err = errors.New("pebble: epoch: it has no function: give one, which may do nothing")
		}
		if err == nil {
			err = r.tuning.retune(plan)
		}
		if err == nil {
			err = r.detect(plan)
		}
		if err != nil {
			r.Fail(&rankError{r.id, err})
		}
		if r.explaining {
			r.explaining, r.explained = false, true
			return r.job.config.Explain(r, plan.Depth)
		}
		if r.job.config.Lone {
			r.Fail(errors.New("pebble: of so many ranks rank 0 alone is explained, and can't run the epochs that " +
				"come before: explain the job with fewer ranks"))
		}
		r.begins(board.Epoch, plan.Name)
		r.limit = r.chains(plan.Depth)
		r.Deep = r.limit > 0 && r.limit+r.beyond > 1
		r.open()
		r.idle, r.active = plan.Idle, plan.Idle != nil || r.tasks != nil && r.limit == 0
		r.mode = body
		err = f()
		r.beginCall("an epoch's function returned")
		if err != nil {
			r.Fail(&rankError{r.id, err})
		}
		r.quiesce(board.ForEnd, "", nil)
		r.checkAccesses()
		r.complete()
		r.end()
		return nil
	})
}

// ExplainNext has the next epoch explained in place of being run, when the configuration asks for it.
func (r *Rank) ExplainNext() {
	r.owned("ExplainNext was called")
	r.explaining = r.job.config.Explain != nil
}

func (r *Rank) open() {
	r.Check()
	r.Sender.Epoch++
	r.mode = busy
	if r.links.Version() != r.linksSeen {
		r.reroute()
	}
	if r.tuning != nil {
		r.tuning.started = r.Now()
	}
	r.detector.Begin()
	if r.Ledger != nil {
		r.Ledger.Clear()
	}
	for f := r.futureEpoch.Shift(); f != nil; f = r.futureEpoch.Shift() {
		r.deferred.Push(f)
		r.catchUp = true
	}
}

// quiesce waits for the end of the epoch. What is left in buffers leaves when there is nothing else to do, and not
// before others have had a turn: they may be about to send more. A rank counts as being at rest when it has found
// nothing to do for some looks in a row. Where chains have no known end, those are the more the more rounds were in
// vain: in a long chain of pebbles most ranks are idle most of the time, and rounds of detection would take the chain's
// time. A rank that holds nothing and that nothing has come for takes part in detection with its first look: in an
// epoch without pebbles, to let others have a turn first costs as much again as the messages do.
//
// It returns earlier, and false, when done says so; nil never does.
func (d *detection) quiesce(wait board.Wait, call string, done func() bool) (ended bool) {
	d.rank.board.Waits(wait, call)
	defer d.rank.board.Waited()
	before, processed, idle := d.detector.Rounds(), d.processed, 0
	if !d.rank.holds() {
		idle = 1
	}
	for ; done == nil || !done(); idle++ {
		stage := d.stage()
		worked, unfinished := d.rank.Turn(), false
		if d.rank.active {
			worked, unfinished = d.rank.workAside(worked)
			d.rank.board.Waits(wait, call) // idle work may have waited for something else
		}
		if worked {
			idle = 0
		}
		left := true
		if idle > 0 {
			if d.rank.active && d.rank.lingers(idle) {
				continue
			}
			var sent bool
			if sent, left = d.rank.Flush(coalesce.Idle, stage); sent {
				idle = 0
				continue
			}
		}
		polls := pollsAtRest(d.detector.Rounds() - before)
		atRest := !left && !unfinished && (d.limit > 0 || idle >= polls)
		if d.detector.Step(&d.rank.networks[quiescence], d.state(atRest)) {
			return true
		}
		if d.stage() != stage {
			idle = 0 // there is more to send
		}
		if idle > 0 || d.processed != processed || d.rank.holds() {
			d.rank.restAfter(idle, max(d.rank.spins, polls+1))
		}
	}
	return false
}

// state is what the detector learns.
func (d *detection) state(atRest bool) termination.State {
	s := termination.State{
		Counts: termination.Counts{Created: d.rank.Created, Processed: d.processed},
		Idle:   atRest && d.rank.Backlog == 0 && d.rank.stalled.Empty() && d.rank.openAccesses() == 0,
		Ledger: d.rank.Ledger,
	}
	s.Back = d.awaiting && s.Idle && d.back()
	return s
}

// back reports whether all frames that this rank has sent have been handled.
func (d *detection) back() bool {
	for _, t := range d.rank.targets {
		if !t.outbox.AllReleased() {
			return false
		}
	}
	return true
}

// pollsAtRest is how many idle polls make a rank count as being at rest after so many rounds. It ends well before a
// rank parks, which may only happen when the detector has been asked.
func pollsAtRest(rounds uint64) int { return 1 << min(rounds, 5) }

func (r *Rank) end() {
	for _, t := range r.targets {
		t.endpoint.EndEpoch()
	}
	r.mode = outside
	if r.tuning != nil {
		r.tuning.ended()
	}
	r.ends()
	r.Count.Epochs++
	r.Count.Rounds = r.rounds + r.detector.Rounds()
}
