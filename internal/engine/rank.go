package engine

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/netio"
)

// Rank is one rank of a job, put together from what it does. It is for the goroutine of its function.
type Rank struct {
	coalesce.Sender
	caller
	detection
	arrivals
	Collectives
	accesses
	hooks
	aside
	marks
	pace
	publisher
	registered

	depth      int     // of the pebbles that are being handled; 0 in the main function, and when there is no limit
	handling   *Target // the target whose handler runs, or ran last
	spins      int     // idle polls before the rank parks
	lastBack   uint64  // frames that had come back when this rank last thought of parking
	tuning     *tuning // nil when nothing is tuned
	explaining bool    // the next epoch is to be explained
	explained  bool    // one was
}

// newRank makes one rank of a job that newJob has made. It needs nothing else that runs: whoever calls its methods is
// its function.
func newRank(j *job, id int, port netio.Port) *Rank {
	c := &j.config
	r := &Rank{
		caller: caller{id: id, job: j}, pace: newPace(c), spins: spinsBeforePark,
		explaining: c.Explain != nil && !c.ExplainMarked,
	}
	r.tuning = newTuning(r, c, j.place.Ranks)
	r.processed, r.board = j.start, &j.boards[id-j.place.First]
	r.board.Begins()
	r.links = j.links
	r.Collectives = Collectives{
		barrier: collective.Barrier(id, j.place.Ranks), reduce: collective.AllReduce(id, j.place.Ranks),
		sequence: j.start,
	}
	join(r)
	r.Sender = coalesce.Sender{
		Options: c.Options, Rank: id, Port: port, Pool: port.Pool(), Engine: r, Failed: &j.failed, Epoch: uint32(j.start),
		Created: j.start,
	}
	if runner, ok := j.transport.(netio.Runner); ok {
		r.spins = runner.Looks()
	}
	if m, ok := port.(netio.Meter); ok {
		m.Meter(r.work)
	}
	if c.Trace != nil {
		r.traced(c.Trace(id))
	}
	return r
}

// join has the parts of a rank know it.
func join(r *Rank) {
	r.caller.rank, r.detection.rank, r.arrivals.rank, r.accesses.rank, r.aside.rank = r, r, r, r, r
	r.publisher.rank, r.marks.rank, r.Collectives.rank = r, r, r
	for p := range r.networks {
		r.networks[p] = network{rank: r, purpose: purpose(p)}
	}
}

// ID is the rank's number, 0 to Size()-1.
func (c *caller) ID() int { return c.id }

// Size is the number of ranks of the job.
func (c *caller) Size() int { return c.job.place.Ranks }

// Config is the job's configuration.
func (c *caller) Config() *Config { return &c.job.config }

// Place says which ranks share this rank's process, and how many processes there are.
func (c *caller) Place() netio.Place { return c.job.place }

// Transport is the name of the transport that carries the job's frames.
func (c *caller) Transport() string { return c.job.transport.Name() }

// Preposted is what this process posts ahead for what others send it; see [netio.Preposter].
func (c *caller) Preposted(senders map[int]bool) (p netio.Preposted, ok bool) {
	if t, ok := c.job.transport.(netio.Preposter); ok {
		return t.Preposted(senders)
	}
	return p, false
}

// Termination is the name of the detector that ended the last epoch, or nothing before the first.
func (d *detection) Termination() string {
	d.rank.owned("Termination was called")
	if d.detector == nil {
		return ""
	}
	return d.detector.Name()
}

// Now is the time on the job's clock.
func (r *Rank) Now() time.Duration {
	r.owned("Now was called")
	return r.Port.Now()
}

// Compute lets simulated time pass.
func (r *Rank) Compute(d time.Duration) {
	r.owned("Compute was called")
	if m, ok := r.Port.(netio.Meter); ok {
		m.Compute(d)
	}
}

// work is what a metering port is told.
func (r *Rank) work() netio.Work {
	passed := r.Count.Forwarded + r.Count.Rescued // a pebble that is being rescued counts as forwarded first
	return netio.Work{Sent: r.Count.PebblesSent, Handled: r.Count.PebblesHandled, Passed: passed}
}

// finish is the end of a rank whose function has returned nil: no rank leaves before all have come so far, so that no
// process closes its connections while another needs them.
func (r *Rank) finish() error {
	if r.job.failed.Load() { // and the program has recovered from that
		return r.job.error()
	}
	if err := r.mayBegin("the end of the rank's function"); err != nil {
		return err
	}
	if r.job.config.Explain != nil && !r.explained {
		return errors.New("pebble: explain: the program has begun no epoch that could be explained: leave -explain out")
	}
	_, err := r.networks[finishing].run(r.barrier, nil, nil)
	return err
}

// release gives back the frames that the rank still holds when it ends.
func (r *Rank) release() {
	for _, q := range []*netio.Frames{&r.futureEpoch, &r.deferred, &r.stalled} {
		q.Release()
	}
	r.control.clear()
	for f := r.Port.Recv(); f != nil; f = r.Port.Recv() {
		f.Release()
	}
}

// Leave implements coalesce.Engine.
func (r *Rank) Leave() { unwindProgram() }

// guard runs f, and turns the unwinding of a failed job into the job's error. A panic of the user's keeps its stack.
func (r *Rank) guard(f func() error) (err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		if _, ok := value.(unwind); !ok {
			if r.stack == nil {
				r.stack = debug.Stack()
			}
			if r.tasks != nil {
				r.job.fail(r.panicked(value, r.stack)) // first: deferred functions of tasks may call the runtime
				r.endTasks()
			}
			panic(value)
		}
		r.endTasks()
		r.mode = outside
		err = r.job.error()
	}()
	return f()
}
