package sim

import (
	"fmt"
	"sync/atomic"

	"github.com/activepebbles/pebbles/netio"
)

// Process is one process of a simulated job: a [netio.Transport] that runs its ranks.
type Process struct {
	world  *World
	place  netio.Place
	failed func(error)
	ranks  int  // ranks that have not ended
	joined bool // Run or Close was called
	down   bool // aborted, lost or closed: frames to and from it are dropped
	lost   bool // the others have been or will be notified
	dead   bool // its ranks get no more turns before the end

	inFlight map[*Process]*inFlight // by receiving process, where frames leave in batches
	notes    atomic.Pointer[func(process int, note []byte)]
}

var (
	_ netio.Transport = (*Process)(nil)
	_ netio.Runner    = (*Process)(nil)
	_ netio.Counting  = (*Process)(nil)
	_ netio.Noter     = (*Process)(nil)
)

// Name implements [netio.Transport].
func (p *Process) Name() string { return "sim" }

// Place implements [netio.Transport].
func (p *Process) Place() netio.Place { return p.place }

// Port implements [netio.Transport].
func (p *Process) Port(rank int) netio.Port { return &p.world.ranks[rank] }

// Start implements [netio.Transport].
func (p *Process) Start(failed func(error)) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.failed = failed
}

// looks is the number of looks after which a rank parks. A parked rank wakes exactly when a frame arrives, so more
// looks would only cost turns.
const looks = 2

// Notes implements [netio.Noter].
func (p *Process) Notes(take func(process int, note []byte)) { p.notes.Store(&take) }

// Note implements [netio.Noter]. A note takes no simulated time and does not affect the simulation.
func (p *Process) Note(process int, note []byte) {
	if take := p.world.processes[process].notes.Load(); take != nil && len(note) <= netio.NoteBytesMax {
		(*take)(p.place.Process, note)
	}
}

// Looks implements [netio.Runner].
func (p *Process) Looks() int { return looks }

// CountFrom implements [netio.Counting].
func (p *Process) CountFrom() uint64 { return p.world.config.CountFrom }

// Memory implements [netio.Runner].
func (p *Process) Memory() int64 {
	return 2 * p.world.config.Memory * int64(p.place.Last-p.place.First) // the runtime takes half of it
}

// Run implements [netio.Runner]. Ranks begin when every process has called Run or Close. They must wait for each other
// only through their ports: only one of them runs at a time.
func (p *Process) Run(ranks []func(), failed <-chan struct{}, grace netio.Grace) bool {
	p.join(ranks)
	w := p.world
	with := netio.Grace{Time: grace.Time, Progress: w.progress.Load}
	if grace.Progress != nil {
		with.Progress = func() uint64 { return w.progress.Load() + grace.Progress() }
	}
	return with.Await(w.done, failed)
}

// join counts the process. The last process starts the world.
func (p *Process) join(ranks []func()) {
	w := p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.joined {
		return
	}
	p.joined, p.ranks = true, len(ranks)
	for i := range p.place.Last - p.place.First {
		r := &w.ranks[p.place.First+i]
		if i < len(ranks) {
			r.start(ranks[i])
			continue
		}
		r.ended = true
		w.alive--
	}
	if len(ranks) == 0 {
		p.down = true
	}
	if w.arrived++; w.arrived == len(w.processes) {
		go w.loop()
	}
}

// Abort implements [netio.Transport]. The other processes are notified after the latency of the links to them. A
// process that fails meanwhile is also notified, and keeps its own cause.
func (p *Process) Abort(reason string) {
	w := p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	p.down = true
	for rank := p.place.First; rank < p.place.Last; rank++ {
		w.ranks[rank].clear()
	}
	if w.aborted || p.dead {
		return
	}
	w.aborted = true
	if w.failedFirst < 0 {
		w.failedFirst = p.place.Process
	}
	reason = reason[:min(len(reason), reasonMax)]
	for _, other := range w.processes {
		if other != p {
			k := w.layout.class(p.place.First, other.place.First)
			told := &netio.AbortError{Process: p.place.Process, Reason: reason}
			w.plan(w.time()+w.charges.latency[k], func() { other.fail(told) })
		}
	}
}

// reasonMax is the maximum length of a sent reason.
const reasonMax = 4096

// fail notifies the process's job of a failure.
func (p *Process) fail(err error) {
	p.world.mu.Lock()
	failed, dead := p.failed, p.dead
	p.world.mu.Unlock()
	if failed != nil && !dead {
		failed(err)
	}
}

// loss returns the error that reports the loss of this process to others.
func (p *Process) loss(cause error) error {
	return &netio.LostError{Process: p.place.Process, First: p.place.First, Last: p.place.Last, Cause: cause}
}

// finished returns the error of a process that sends to this one after its normal end.
func (p *Process) finished() error {
	return fmt.Errorf("sim: process %d: %w", p.place.Process, netio.ErrFinished)
}

// Close implements [netio.Transport].
func (p *Process) Close() error {
	p.join(nil)
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.down = true
	return nil
}
