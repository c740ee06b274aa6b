package sim

import (
	"fmt"
	"slices"
)

// Cores are the cores of each host. The zero value is a core for each rank. A rank holds a core until it waits or
// pauses, or until it looks or sends after a Slice while another process is next in the queue. Ranks that have work and
// find no free core queue for one, first come, first served.
type Cores struct {
	Count         int     `json:"count"`          // of each host; 0: one per rank
	Switch        float64 `json:"switch"`         // seconds to switch to another rank of the same process
	ProcessSwitch float64 `json:"process_switch"` // seconds to switch to a rank of another process
	Slice         float64 `json:"slice"`          // seconds after which another process gets a turn; 0 means never
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

// allCores are the cores of all hosts. The zero value is a core for each rank.
type allCores struct {
	hosts  []hostCores
	layout *layout
	queue  *queue
}

// of returns the cores of a rank's host.
func (a *allCores) of(r *rank) *hostCores { return &a.hosts[a.layout.host(r.id)] }

// hostCores are the cores of one host, and the queue of ranks for them.
type hostCores struct {
	idle    []core
	waiting []*rank // ranks with work, in order of arrival
	within  instant // time of a switch within a process
	across  instant // time of a switch to another process
	slice   instant // never if there is no limit
}

// core is one core.
type core struct {
	free instant // time at which its last rank left it
	last *rank   // nil before the first
	from instant // time at which its rank got it
}

func newCores(c Cores, l *layout, q *queue) allCores {
	if c.Count == 0 {
		return allCores{}
	}
	all := make([]hostCores, l.hosts())
	count := min(c.Count, l.place.Ranks) // more cores are never busy
	slice := never
	if c.Slice > 0 {
		slice = span(c.Slice)
	}
	for i := range all {
		all[i] = hostCores{
			idle: make([]core, count), within: span(c.Switch), across: span(c.ProcessSwitch), slice: slice,
		}
	}
	return allCores{all, l, q}
}

// acquire finds a core for a rank with work, and reports whether the rank continues immediately. Otherwise the rank is
// queued for the moment at which it gets a core, or waits for one. The world is locked.
func (a *allCores) acquire(r *rank) bool {
	if a.hosts == nil || r.core != nil {
		return true
	}
	c := a.of(r)
	if len(c.idle) == 0 {
		c.waiting = append(c.waiting, r)
		return false
	}
	before := r.clock
	c.assign(r, c.pick(r))
	if r.clock == before {
		return true
	}
	a.queue.push(r.clock, r.tie)
	return false
}

// pick selects the core that a rank can have soonest: its last one if no other rank has used it since.
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

// start returns the time at which a rank would continue on a core.
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

// assign gives a rank a core as soon as the core is free.
func (c *hostCores) assign(r *rank, with core) {
	r.clock = c.start(r, with)
	with.last, with.from = r, r.clock
	r.core = &with
}

// release takes a rank off its core. The first waiting rank gets the core. The world is locked.
func (a *allCores) release(r *rank) {
	if r.core == nil {
		return
	}
	left := core{free: r.clock, last: r.core.last}
	r.core = nil
	c := a.of(r)
	if len(c.waiting) == 0 {
		c.idle = append(c.idle, left)
		return
	}
	next := c.waiting[0]
	c.waiting = slices.Delete(c.waiting, 0, 1)
	c.assign(next, left)
	a.queue.push(next.clock, next.tie)
}

// wanted reports whether other ranks wait for the core that a rank holds.
func (a *allCores) wanted(r *rank) bool { return r.core != nil && len(a.of(r).waiting) > 0 }

// expired reports whether a rank has used its slice while another process is next in the queue.
func (a *allCores) expired(r *rank) bool {
	if !a.wanted(r) {
		return false
	}
	c := a.of(r)
	return c.waiting[0].process != r.process && r.clock-r.core.from >= c.slice
}

// preempt gives the rank's core to a waiting process when the rank has used its slice. The world is locked.
func (r *rank) preempt() {
	w := r.world
	if w.running != r || !w.cores.expired(r) {
		return
	}
	w.cores.release(r)
	r.key = r.clock
	r.suspend()
}

// retire removes an ended rank from its core or from the queue. The world is locked.
func (a *allCores) retire(r *rank) {
	a.release(r)
	if a.hosts == nil {
		return
	}
	c := a.of(r)
	if i := slices.Index(c.waiting, r); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
		a.queue.push(r.clock, r.tie)
	}
}
