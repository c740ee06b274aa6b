package engine

import (
	"runtime/debug"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// Rank is one rank of a job. It is for the goroutine of its function.
type Rank struct {
	coalesce.Sender
	id      int
	job     *job
	mode    mode
	owner   owner
	targets []*Target
	agreed  int // targets[:agreed] were compared with the other ranks

	detector    termination.Detector
	detectorFor detectorFor
	stager      termination.Stager // the detector, when it is one
	awaiting    bool               // the detector asks whether all frames are back
	phases      uint32             // that a link can have in an epoch, when there is a ledger
	rounds      uint64             // of detectors before this one
	processed   uint64             // data frames handled

	limit    int     // declared depth of this epoch; 0 for none
	beyond   int     // how much longer chains of targets may be that answer for the runtime
	depth    int     // of the pebbles that are being handled; 0 in the main function, and when there is no limit
	handling *Target // the target whose handler runs, or ran last

	futureEpoch netio.Frames // data frames of epochs that have not begun here
	deferred    netio.Frames // data frames that waited for the running epoch
	stalled     netio.Frames // data frames of this epoch that wait until links have credit
	lastBack    uint64       // frames that had come back when this rank last thought of parking
	control     mailbox
	networks    [purposes]network
	machine     collective.Machine
	barrier     []collective.Step
	reduce      []collective.Step
	sequence    uint64

	links     *route.Links
	linksSeen uint64 // version of links that targets have been told of

	sampler      coalesce.Sampler
	tick         time.Duration // the shorter of the times after which buffers leave; 0 when there is none
	dispatcher   dispatcher
	tuning       *tuning        // nil when nothing is tuned
	oneSided     netio.OneSided // nil before its first use
	accessErrors []func() error
	post         func(from int, value []byte) // takes what other ranks post; nil when nothing is expected
	before       []func(call string) error    // asked before epochs and at the end; see Guarded
	faults       []func(at uintptr) string    // tell what accesses to addresses are that fault
	notes        []func() string              // say for explanations what the program takes besides buffers
	tasks        Tasks                        // nil when the program has none
	idle         func() bool                  // idle work of the running epoch; nil for none
	aside        bool                         // there is work besides frames in this epoch
	idleSince    time.Duration                // with tasks that wait: when the rank had nothing to do for the first time
	explaining   bool                         // the next epoch is to be explained
	stack        []byte                       // of a panic on its way through Epoch
}

func newRank(j *job, id int, port netio.Port) *Rank {
	c := &j.config
	r := &Rank{
		id: id, job: j, links: j.links,
		barrier:   collective.Barrier(id, j.place.Ranks),
		reduce:    collective.AllReduce(id, j.place.Ranks),
		processed: j.start, sequence: j.start,
		tick: tick(c.Due, c.Period), tuning: newTuning(c, j.place.Ranks),
	}
	r.Sender = coalesce.Sender{
		Options: c.Options, Rank: id, Place: j.place, Port: port, Pool: port.Pool(), Process: &j.process, Engine: r, Failed: &j.failed,
		Epoch: uint32(j.start), Created: j.start,
	}
	r.Spins = spinsBeforePark
	if runner, ok := j.transport.(netio.Runner); ok && !c.Shared {
		r.Spins = runner.Looks()
	}
	if m, ok := port.(netio.Meter); ok {
		m.Meter(r.work)
	}
	for p := range r.networks {
		r.networks[p] = network{rank: r, purpose: purpose(p)}
	}
	return r
}

// ID is the rank's number, 0 to Size()-1.
func (r *Rank) ID() int { return r.id }

// Size is the number of ranks of the job.
func (r *Rank) Size() int { return r.job.place.Ranks }

// Config is the job's configuration.
func (r *Rank) Config() *Config { return &r.job.config }

// Place says which ranks share this rank's process, and how many processes there are.
func (r *Rank) Place() netio.Place { return r.job.place }

// Transport is the name of the transport that carries the job's frames.
func (r *Rank) Transport() string { return r.job.transport.Name() }

// Preposted is what this process posts ahead for what others send it; see [netio.Preposter].
func (r *Rank) Preposted(senders map[int]bool) (p netio.Preposted, ok bool) {
	if t, ok := r.job.transport.(netio.Preposter); ok {
		return t.Preposted(senders)
	}
	return p, false
}

// Termination is the name of the detector that ended the last epoch, or nothing before the first.
func (r *Rank) Termination() string {
	r.owned("Termination was called")
	if r.detector == nil {
		return ""
	}
	return r.detector.Name()
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
	if err := r.mayBegin("the end of the rank's function"); err != nil {
		return err
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
				r.job.fail(r.panicked(value)) // first: deferred functions of tasks may call the runtime
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
