package pebble

import (
	"time"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/tune"
)

// Rank is one owner of data in a job. A rank, and the targets that are registered with it, are for the goroutine that
// its function was called on, until that function returns; handlers run there too. Other goroutines may work for a
// rank, but not call it. A call from another goroutine that meets a running one ends the job with an error. Under
// -race, and in builds with -tags pebbles_check, every call from another goroutine does, at the cost of some
// nanoseconds a call, and some microseconds an epoch or collective.
type Rank struct {
	engine   *engine.Rank
	config   *Config
	schedule *tune.Schedule // of the process, for rank 0; nil when nothing is tuned
}

// Inside is the engine's part of the rank, for packages of this module.
func (r *Rank) Inside(frame.Access) *engine.Rank { return r.engine }

// With is the rank with another engine's part, for packages of this module.
func (r *Rank) With(_ frame.Access, e *engine.Rank) *Rank {
	with := *r
	with.engine = e
	return &with
}

// ID is the rank's number, 0 to Size()-1.
func (r *Rank) ID() int { return r.engine.ID() }

// Size is the number of ranks of the job.
func (r *Rank) Size() int { return r.engine.Size() }

// Config is the job's configuration, with its defaults filled in.
func (r *Rank) Config() Config { return *r.config }

// Place says which ranks share this rank's process, First to Last-1, and how many Processes there are.
func (r *Rank) Place() netio.Place { return r.engine.Place() }

// Transport is the name of the transport that carries the job's frames.
func (r *Rank) Transport() string { return r.engine.Job.Transport() }

// Termination is the name of the detector that ended the last epoch, or nothing before the first.
func (r *Rank) Termination() string { return r.engine.Detection.Termination() }

// Now is the time on the job's clock since some fixed moment: wall time, or simulated time under a simulating
// transport. It costs about 40 ns.
func (r *Rank) Now() time.Duration { return r.engine.Now() }

// Preempted returns a channel that is closed when SIGTERM or SIGUSR1 has come to this process, which will be killed
// soon: a program that polls it can stop sending, let the epoch end, and save what it has, within [Config].Grace. Other
// processes may not have been told: let ranks agree, by [AllReduce], on what they do, or by Checkpoint.Due of package
// checkpoint. It is nil, which is never ready, without a grace or outside of [Main]. Any goroutine may receive from it.
func (r *Rank) Preempted() <-chan struct{} { return r.config.started.preempted }

// Compute lets simulated time pass, as for a computation of that length, under a simulating transport. Elsewhere it
// does nothing: there a computation takes its time by itself. What pebbles cost is counted without it.
func (r *Rank) Compute(d time.Duration) { r.engine.Compute(d) }

// Poll handles what has arrived for this rank, and sends buffers that are due. A long computation in an epoch's body
// that sends nothing should call it now and then, so that others need not wait. It never waits itself.
func (r *Rank) Poll() { r.engine.Loop.Poll() }

// MarkLink marks the link between two ranks as down, or as up again: topologies made by route.Dynamic route around it
// from here on, and pebbles that wait for it take other links (Active Pebbles, section 3.4). The mark holds for the
// whole job; this rank's buffers obey at once, or after the running handler, and others as soon as they look for what
// has arrived. It may be called at any time by a rank's goroutine, also in handlers. When several ranks mark the same
// link, all see the same mark in the end: the last by count of marks known, then by rank; a mark that knew of another
// is later.
//
// A mark is advice to routing, for links that are slow, costly or about to go: what was handed to the transport before
// still arrives.
func (r *Rank) MarkLink(a, b int, down bool) { r.engine.Marks.MarkLink(a, b, down) }

// MarkRank is MarkLink for a rank: nothing is routed through it. It still sends and receives pebbles of its own.
func (r *Rank) MarkRank(rank int, down bool) { r.engine.Marks.MarkRank(rank, down) }

// Links are the marks of the job, for topologies that look at them.
func (r *Rank) Links() *route.Links { return r.engine.Marks.Links() }
