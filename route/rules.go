package route

import (
	"fmt"
	"slices"
)

// rules checks a topology, and caches its neighbours.
type rules struct {
	t      Topology
	router Router // nil if the topology is none
	staged Staged // nil if the topology is none
	stages int
	most   int // most hops of a route
	known  map[int]near
}

// near has the neighbours of a rank.
type near struct{ listed, sorted []int }

func newRules(t Topology) (*rules, error) {
	r := &rules{t: t, most: t.Ranks() - 1, known: map[int]near{}}
	if t.Ranks() < 1 {
		return nil, r.errorf("it connects %d ranks: a job has at least one rank", t.Ranks())
	}
	r.router, _ = t.(Router)
	if r.staged, _ = t.(Staged); r.staged != nil {
		if r.stages = r.staged.Stages(); r.stages < 1 {
			return nil, r.errorf("it has %d stages: there is one at least", r.stages)
		}
	}
	if b, ok := t.(Bounded); ok {
		if r.most = b.Hops(); r.most < min(1, t.Ranks()-1) { // one rank has no routes
			return nil, r.errorf("Hops promises %d hops: the longest route has one at least", r.most)
		}
	}
	return r, nil
}

func (r *rules) errorf(format string, args ...any) error {
	return fmt.Errorf("route: topology %q: "+format, append([]any{r.t.Name()}, args...)...)
}

func (r *rules) neighbors(at int) (near, error) {
	if known, ok := r.known[at]; ok {
		return known, nil
	}
	n := near{listed: r.t.Neighbors(at)}
	n.sorted = slices.Sorted(slices.Values(n.listed))
	for i, rank := range n.sorted {
		if err := r.neighbor(at, rank, i > 0 && n.sorted[i-1] == rank); err != nil {
			return n, err
		}
	}
	r.known[at] = n
	return n, nil
}

// neighbor checks a neighbour that a rank lists, possibly again.
func (r *rules) neighbor(at, rank int, again bool) error {
	switch {
	case rank < 0 || rank >= r.t.Ranks():
		return r.errorf("rank %d has neighbour %d, ranks are 0 to %d", at, rank, r.t.Ranks()-1)
	case rank == at:
		return r.errorf("rank %d is its own neighbour", at)
	case again:
		return r.errorf("rank %d lists neighbour %d twice", at, rank)
	}
	return nil
}

// follow follows the route from at to dest, and returns the first fault.
func (r *rules) follow(at, dest int) (hops int, err error) {
	if at == dest {
		return 0, r.own(at)
	}
	var broken error // kept back: the stages of a loop fall somewhere too, but the loop is the fault to report
	last, stage := at, -1
	for here := at; here != dest; hops++ {
		if hops >= r.t.Ranks() {
			return hops, r.errorf("a pebble from rank %d never arrives at rank %d: it is at rank %d after %d hops",
				at, dest, here, hops)
		}
		next, err := r.next(here, dest)
		if err != nil {
			return hops, err
		}
		s, err := r.stage(here, next)
		if err != nil {
			return hops, err
		}
		if r.staged != nil && s <= stage && broken == nil {
			broken = r.errorf("the route from rank %d to rank %d takes link %d-%d of stage %d after link %d-%d of stage %d: "+
				"stages must grow along a route", at, dest, here, next, s, last, here, stage)
		}
		last, here, stage = here, next, s
	}
	if broken == nil && hops > r.most {
		broken = r.errorf("the route from rank %d to rank %d has %d hops, Hops promises at most %d", at, dest, hops, r.most)
	}
	return hops, broken
}

// next returns the next hop, which must be a neighbour, in its slot.
func (r *rules) next(here, dest int) (int, error) {
	near, err := r.neighbors(here)
	if err != nil {
		return 0, err
	}
	next := r.t.Next(here, dest)
	if _, ok := slices.BinarySearch(near.sorted, next); !ok {
		return 0, r.errorf("the next hop from rank %d to rank %d is %d, which is not a neighbour of rank "+
			"%d", here, dest, next,
			here)
	}
	if r.router != nil {
		if slot := r.slot(here, dest); slot >= len(near.listed) || near.listed[slot] != next {
			return 0, r.errorf("the next hop from rank %d to rank %d is %d, whose index among the neighbours is not %d, "+
				"which Slots tells",
				here, dest, next, slot)
		}
	}
	return next, nil
}

// own checks the slot of the rank itself.
func (r *rules) own(at int) error {
	if r.router == nil {
		return nil
	}
	near, err := r.neighbors(at)
	if err != nil {
		return err
	}
	if slot := r.slot(at, at); slot != len(near.listed) {
		return r.errorf("Slots tells %d at rank %d for the rank itself, not %d, the number of its neighbours",
			slot, at, len(near.listed))
	}
	return nil
}

func (r *rules) slot(at, dest int) int {
	slots := []uint32{noSlot}
	r.router.Slots(at, []uint32{uint32(dest)}, slots)
	return int(slots[0])
}

// noSlot marks a slot that Slots has not written.
const noSlot = 1<<32 - 1

// stage returns the stage of a link, or 0 if links have none.
func (r *rules) stage(from, to int) (int, error) {
	if r.staged == nil {
		return 0, nil
	}
	s := r.staged.Stage(from, to)
	if s < 0 || s >= r.stages {
		return s, r.errorf("link %d-%d has stage %d, stages are 0 to %d", from, to, s, r.stages-1)
	}
	return s, nil
}
