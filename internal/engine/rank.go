package engine

import (
	"errors"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// Rank is one rank of a job. It is for the goroutine of its function.
//
// A rank only connects its parts: each part has the few others that it needs, and can be made without a rank.
type Rank struct {
	caller // the goroutine that calls, and its position in the program

	Sender      coalesce.Sender // buffers, and the account of memory
	Targets     targets         // registered
	Loop        loop            // progress, and waits of the main function
	Detection   detection       // of the end of an epoch
	Tasks       tasksAndIdle    // work other than frames
	Collectives Collectives     // between epochs
	Exposed     exposed         // one-sided operations, and messages between locks
	Marks       marks           // of links
	Hooks       hooks           // of packages above the engine
	Publisher   publisher       // for observers
	Explains    *explains       // the same for all teams of a rank

	tuner betweenEpochs // nil if nothing is tuned
}

// betweenEpochs changes settings of a job between its epochs. All ranks call it alike.
type betweenEpochs interface {
	// before is called before each epoch, begun at its start, and ended at its end.
	before(p Plan) error
	begun()
	ended()
	// freed is called when the target with an index is freed.
	freed(at int)
}

// explains selects the epoch that is explained instead of run.
type explains struct {
	config *Config
	next   bool // the next one
	any    bool // one was
}

// newRank makes one rank of a job. Nothing else has to run: the goroutine that calls its methods is the rank's.
func newRank(j *job, id int, port netio.Port) *Rank {
	c := &j.config
	r := &Rank{caller: caller{id: id, Job: j, team: &j.whole, owner: new(owner)}}
	r.begin(port)
	r.Publisher.board = &j.boards[id-j.place.First]
	r.Publisher.board.Begins()
	r.Explains = &explains{config: c, next: c.Explain != nil && !c.ExplainMarked}
	if c.Tuning != nil {
		r.tuner = newTuning(r, c)
	}
	if m, ok := port.(netio.Meter); ok {
		m.Meter(func() netio.Work { return workOf(&r.Sender.Count) })
	}
	if c.Trace != nil {
		r.Publisher.traced(c.Trace(r.id))
	}
	return r
}

// newRankOf makes the part of a job's rank in a team. Its settings are not tuned.
func newRankOf(whole *Rank, t *team, id int, p *port) *Rank {
	r := &Rank{caller: caller{id: id, Job: whole.Job, team: t, port: p, owner: whole.owner}}
	r.begin(p)
	r.Publisher.board, r.Explains = whole.Publisher.board, whole.Explains
	r.Publisher.traced(whole.Publisher.trace)
	return r
}

// begin prepares a rank whose caller is complete.
func (r *Rank) begin(port netio.Port) {
	j := r.Job
	connect(r)
	r.Sender = coalesce.Sender{
		Options: j.config.Options, Rank: r.id, Port: port, Pool: port.Pool(), Engine: &limits{&r.caller, &r.Sender},
		Failed: &j.failed, Epoch: uint32(j.start), Created: j.start,
	}
	r.Loop.begin(&j.config, j.start)
	if runner, ok := j.transport.(netio.Runner); ok {
		r.Loop.spins = runner.Looks()
	}
	r.Collectives.begin(j.start)
	r.Marks.links = r.team.links
}

// connect gives the parts of a rank the others that they need.
func connect(r *Rank) {
	c, s := &r.caller, &r.Sender
	r.hooks = &r.Hooks
	r.Publisher.caller, r.Publisher.sender, r.Publisher.targets, r.Publisher.tasks = c, s, &r.Targets, &r.Tasks
	r.Marks.caller, r.Marks.sender, r.Marks.targets = c, s, &r.Targets
	r.Exposed.caller, r.Exposed.sender, r.Exposed.posting = c, s, &r.Collectives.networks[posting]
	r.Detection.caller, r.Detection.sender, r.Detection.targets = c, s, &r.Targets
	r.Detection.network, r.Detection.arrivals = &r.Collectives.networks[quiescence], &r.Loop.arrivals
	r.Tasks.caller, r.Tasks.sender, r.Tasks.loop, r.Tasks.publisher = c, s, &r.Loop, &r.Publisher
	r.Loop = loop{caller: c, sender: s, targets: &r.Targets, publisher: &r.Publisher, marks: &r.Marks,
		exposed: &r.Exposed, detection: &r.Detection}
	r.Loop.arrivals = arrivals{caller: c, sender: s, targets: &r.Targets, publisher: &r.Publisher,
		collective: r.Collectives.control.put}
	r.Loop.arrivals.messages[marking], r.Loop.arrivals.messages[posting] = r.Marks.marked, r.Exposed.posted
	r.Collectives.caller = c
	for p := range r.Collectives.networks {
		r.Collectives.networks[p] = network{caller: c, sender: s, publisher: &r.Publisher, loop: &r.Loop,
			common: &r.Collectives.common, purpose: purpose(p)}
	}
}

// workOf returns a rank's work, for a port that meters it.
func workOf(c *coalesce.Counters) netio.Work {
	passed := c.Forwarded + c.Rescued // a pebble that is being rescued counts as forwarded first
	return netio.Work{Sent: c.PebblesSent, Handled: c.PebblesHandled, Passed: passed}
}

// Now returns the time on the job's clock.
func (r *Rank) Now() time.Duration {
	r.owned("Now was called")
	return r.Sender.Port.Now()
}

// Compute advances simulated time.
func (r *Rank) Compute(d time.Duration) {
	r.owned("Compute was called")
	if m, ok := r.Sender.Port.(netio.Meter); ok {
		m.Compute(d)
	}
}

// ExplainNext marks the next epoch to be explained, if the configuration sets Explain.
func (r *Rank) ExplainNext() {
	r.owned("ExplainNext was called")
	r.Explains.next = r.Explains.config.Explain != nil
}

// Account returns the rank's account of pebbles, frames and memory, for a call by the program.
func (r *Rank) Account(call string) *coalesce.Sender {
	r.owned(call)
	return &r.Sender
}

// finish ends a rank whose function has returned nil. It waits for all other ranks, so that no process closes its
// connections while another needs them.
func (r *Rank) finish() error {
	if r.Job.failed.Load() { // and the program has recovered from it
		return r.Job.error()
	}
	for _, part := range r.parts() {
		if err := part.Hooks.end(true); err != nil {
			return err
		}
		if err := part.Hooks.mayBegin("the end of the rank's function"); err != nil {
			return err
		}
	}
	unexplained := r.Job.config.Explain != nil && !r.Explains.any
	_, teams := r.Sender.Port.(*port)
	if unexplained && !teams {
		return errUnexplained
	}
	_, err := r.Collectives.networks[finishing].run(r.Collectives.exchange, nil, nil)
	if err == nil && unexplained { // no team without this rank has begun one either
		return errUnexplained
	}
	return err
}

var errUnexplained = errors.New("pebble: explain: the program began no epoch that could be explained: leave " +
	"-explain out")

// parts returns the parts of this rank in its teams and in the job.
func (r *Rank) parts() []*Rank {
	if p, ok := r.Sender.Port.(*port); ok {
		return p.hub.all()
	}
	return []*Rank{r}
}

// over ends the tasks and the calls of the rank. Functions that Hooks.end has not yet called are those of a failed job.
func (r *Rank) over() {
	for _, part := range r.parts() {
		_ = part.Hooks.end(false)
		part.Tasks.end()
		part.mode = over
	}
	r.owner.end()
}

// release releases the frames that the rank still holds at its end.
func (r *Rank) release() {
	from := r.Sender.Port
	if p, ok := from.(*port); ok {
		from = p.Port
		p.hub.early.Release()
	}
	for _, part := range r.parts() {
		part.Loop.arrivals.release()
		part.Collectives.control.clear()
		if p, ok := part.Sender.Port.(*port); ok {
			p.waiting.Release()
		}
	}
	for f := from.Recv(); f != nil; f = from.Recv() {
		f.Release()
	}
}

// limits ends the job when buffers exceed a limit. It implements coalesce.Engine.
type limits struct {
	caller *caller
	sender *coalesce.Sender
}

// Leave implements coalesce.Engine.
func (l *limits) Leave() { unwindProgram() }

// Exceeded implements coalesce.Engine.
func (l *limits) Exceeded(target string, needed int64) {
	cause := FromMain
	if l.caller.InHandler() || l.sender.Queued > l.sender.Filling {
		cause = FromHandlers
	}
	l.caller.Fail(&LimitError{l.caller.id, target, needed, l.sender.MemoryLimit, cause})
}
