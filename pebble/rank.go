package pebble

import (
	"time"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/tune"
)

// Rank is one owner of data in a job. A rank, and the targets that are registered with it, belong to the goroutine that
// runs its function, until that function returns; handlers run there too. Other goroutines may work for a rank, but not
// call it. A call from another goroutine that meets a running one ends the job with an error. Under -race, and in
// builds with -tags pebbles_check, every call from another goroutine does, at the cost of some nanoseconds per call,
// and some microseconds per epoch or collective.
type Rank struct {
	engine   *engine.Rank
	config   *Config
	schedule *tune.Schedule // of the process, for rank 0; nil if nothing is tuned
}

// Inside returns the engine's part of the rank, for packages of this module.
func (r *Rank) Inside(frame.Access) *engine.Rank { return r.engine }

// With returns the rank with another engine's part, for packages of this module.
func (r *Rank) With(_ frame.Access, e *engine.Rank) *Rank {
	with := *r
	with.engine = e
	return &with
}

// ID returns the rank's number, 0 to Size()-1.
func (r *Rank) ID() int { return r.engine.ID() }

// Size returns the number of ranks of the job.
func (r *Rank) Size() int { return r.engine.Size() }

// Config returns the job's configuration, with its defaults filled in.
func (r *Rank) Config() Config { return *r.config }

// Place returns the number of Processes, and the ranks that share this rank's process: First to Last-1.
func (r *Rank) Place() netio.Place { return r.engine.Place() }

// Transport returns the name of the transport that carries the job's frames.
func (r *Rank) Transport() string { return r.engine.Job.Transport() }

// Termination returns the name of the detector that ended the last epoch, or "" before the first.
func (r *Rank) Termination() string { return r.engine.Detection.Termination() }

// Now returns the time on the job's clock since some fixed moment: wall time, or simulated time under a simulating
// transport. It costs about 40 ns.
func (r *Rank) Now() time.Duration { return r.engine.Now() }

// Preempted returns a channel that is closed when SIGTERM or SIGUSR1 has come to this process, which will be killed
// soon. A program that polls it can stop sending, let the epoch end, and save its state, within [Config].Grace. Other
// processes may not have got the signal: let ranks agree by [AllReduce], or by Checkpoint.Due of package checkpoint.
// The channel is nil, which is never ready, without a grace or outside of [Main]. Any goroutine may receive from it.
func (r *Rank) Preempted() <-chan struct{} { return r.config.started.preempted }

// Compute advances simulated time by the length of a computation, under a simulating transport. Elsewhere it does
// nothing, since a computation takes real time. The costs of pebbles are counted without it.
func (r *Rank) Compute(d time.Duration) { r.engine.Compute(d) }

// Poll handles the pebbles that have arrived for this rank, and sends buffers that are due. A long computation in an
// epoch's body that sends nothing should call it now and then, so that other ranks need not wait. It never waits
// itself.
func (r *Rank) Poll() { r.engine.Loop.Poll() }

// MarkLink marks the link between two ranks as down, or as up again. From then on, topologies made by route.Dynamic
// route around a link that is down, and pebbles that wait for it take other links (Active Pebbles, section 3.4). The
// mark holds for the whole job. This rank's buffers obey at once, or after the running handler; others as soon as they
// look for arrivals. A rank's goroutine may call it at any time, even in handlers. If several ranks mark the same link,
// the last mark holds on all ranks in the end. A mark set after another was seen is later; otherwise the number of
// marks seen decides, then the rank.
//
// A mark is advice to routing, for links that are slow, costly or about to go. Frames that the transport already has
// still arrive.
func (r *Rank) MarkLink(a, b int, down bool) { r.engine.Marks.MarkLink(a, b, down) }

// MarkRank is MarkLink for a rank: no pebble is routed through it. It still sends and receives its own pebbles.
func (r *Rank) MarkRank(rank int, down bool) { r.engine.Marks.MarkRank(rank, down) }

// Links returns the marks of the job, for topologies that look at them.
func (r *Rank) Links() *route.Links { return r.engine.Marks.Links() }
