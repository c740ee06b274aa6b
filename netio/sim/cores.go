package sim

import (
	"fmt"
	"slices"
)

// Cores are the cores of each host. The zero value is a core for each rank. A rank holds a core until it waits or
// pauses, or until it looks or sends after a Slice while another process is next in the queue. Ranks that have work and
// find no free core queue for one, first come, first served.
type Cores struct {
	Count         int     `json:"count"`          // of each host; 0: one a rank
	Switch        float64 `json:"switch"`         // seconds to switch to another rank of the same process
	ProcessSwitch float64 `json:"process_switch"` // seconds to switch to a rank of another process
	Slice         float64 `json:"slice"`          // seconds after which another process has a turn; 0 is never
}

func (c Cores) check() error {
	if c.Count < 0 {
		return fmt.Errorf("sim: network: %d cores a host: give a positive number, or 0 for one a rank", c.Count)
	}
	for name, t := range map[string]float64{"switch": c.Switch, "process_switch": c.ProcessSwitch, "slice": c.Slice} {
		if !(t >= 0 && t <= spanMax) {
			return fmt.Errorf("sim: network: %s of cores is %v: times are seconds, from 0 to %d", name, t, spanMax)
		}
	}
	return nil
}

// hostCores are the cores of one host, and the queue of ranks for them.
type hostCores struct {
	idle    []core
	waiting []*rank // that have work, in the order in which they came
	within  instant // what a switch takes
	across  instant
	slice   instant // never when there is none
}

// core is one core.
type core struct {
	free instant // when its last rank left it
	last *rank   // nil before the first
	from instant // when the rank that holds it got it
}

// newHostCores makes the cores of all hosts; nil when each rank has a core of its own.
func newHostCores(c Cores, l *layout) []hostCores {
	if c.Count == 0 {
		return nil
	}
	all := make([]hostCores, l.hosts())
	count := min(c.Count, l.place.Ranks) // no more are ever busy
	slice := never
	if c.Slice > 0 {
		slice = span(c.Slice)
	}
	for i := range all {
		all[i] = hostCores{idle: make([]core, count), within: span(c.Switch), across: span(c.ProcessSwitch), slice: slice}
	}
	return all
}

// acquireCore finds a core for a rank that has work, and reports whether the rank continues at once. Otherwise the rank
// is queued again for the moment at which it has a core, or it waits for one. The world is locked.
func (w *World) acquireCore(r *rank) bool {
	if w.cores == nil || r.core != nil {
		return true
	}
	c := &w.cores[w.layout.host(r.id)]
	if len(c.idle) == 0 {
		c.waiting = append(c.waiting, r)
		return false
	}
	before := r.clock
	c.assign(r, c.pick(r))
	if r.clock == before {
		return true
	}
	w.queue.push(r.clock, r.tie)
	return false
}

// pick selects the core that a rank can have soonest: its last one if no other rank had it since.
func (c *hostCores) pick(r *rank) core {
	best := 0
	for i := range c.idle {
		if c.start(r, c.idle[i]) < c.start(r, c.idle[best]) {
			best = i
		}
	}
	picked, last := c.idle[best], len(c.idle)-1
	c.idle[best] = c.idle[last]
	c.idle = c.idle[:last]
	return picked
}

// start is when a rank would continue on a core.
func (c *hostCores) start(r *rank, with core) instant {
	at := max(r.clock, with.free)
	switch {
	case with.last == nil || with.last == r:
		return at
	case with.last.process == r.process:
		return at + c.within
	}
	return at + c.across
}

// assign lets a rank have a core, as soon as that is free.
func (c *hostCores) assign(r *rank, with core) {
	r.clock = c.start(r, with)
	with.last, with.from = r, r.clock
	r.core = &with
}

// releaseCore takes a rank off its core; the first rank that waits gets the core. The world is locked.
func (w *World) releaseCore(r *rank) {
	if r.core == nil {
		return
	}
	left := core{free: r.clock, last: r.core.last}
	r.core = nil
	c := &w.cores[w.layout.host(r.id)]
	if len(c.waiting) == 0 {
		c.idle = append(c.idle, left)
		return
	}
	next := c.waiting[0]
	c.waiting = slices.Delete(c.waiting, 0, 1)
	c.assign(next, left)
	w.queue.push(next.clock, next.tie)
}

// preempt gives the rank's core to a waiting process when the rank has used its slice. The world is locked.
func (w *World) preempt(r *rank) {
	if r.core == nil || w.running != r {
		return
	}
	c := &w.cores[w.layout.host(r.id)]
	if len(c.waiting) == 0 || c.waiting[0].process == r.process || r.clock-r.core.from < c.slice {
		return
	}
	w.releaseCore(r)
	r.key = r.clock
	r.suspend()
}

// coreWanted reports whether others wait for the core that a rank holds.
func (w *World) coreWanted(r *rank) bool {
	return r.core != nil && len(w.cores[w.layout.host(r.id)].waiting) > 0
}

// retire removes a rank that has ended from its core or from the queue. The world is locked.
func (w *World) retire(r *rank) {
	w.releaseCore(r)
	if w.cores == nil {
		return
	}
	c := &w.cores[w.layout.host(r.id)]
	if i := slices.Index(c.waiting, r); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
		w.queue.push(r.clock, r.tie)
	}
}
