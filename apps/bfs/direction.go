package bfs

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// AlphaDefault and BetaDefault are the thresholds of Beamer, Asanović and Patterson, Direction-Optimizing Breadth-First
// Search (SC 2012, section V), as tuned in the GAP benchmark suite.
const (
	AlphaDefault = 15
	BetaDefault  = 18
)

// front is what decides the direction of a step: the size of a frontier.
type front struct {
	vertices uint64
	arcs     uint64 // that leave them
}

func (a front) add(b front) front { return front{a.vertices + b.vertices, a.arcs + b.arcs} }

// direction is the direction-optimising kernel: it goes level by level, and takes each step along arcs or against them.
// Where most vertices are reached already, few arcs must be looked at against their direction: a vertex is done when it
// finds the first parent.
type direction[V vertex] struct {
	*puller[V]
	alpha, beta float64
	all         uint64 // arcs of the graph, without duplicates and self-loops
	backwards   bool   // the last step was against arcs
	steps       [2]int // along and against, of the last search
}

func newDirection[V vertex](t *tree[V], tuning Tuning) (*direction[V], error) {
	g := t.g
	if t.Into == nil {
		if err := g.Fits("reverse the arcs of", 3*g.IndexBytes()*float64(g.Edges)/float64(g.Rank.Size())); err != nil {
			return nil, err
		}
		if err := t.Reverse(g); err != nil {
			return nil, err
		}
	}
	arcs, err := apps.Sum(g.Rank, t.Arcs())
	if err != nil {
		return nil, err
	}
	s := &direction[V]{puller: newPuller(newPusher(t, tuning.Unfiltered)), alpha: tuning.Alpha, beta: tuning.Beta, all: arcs}
	if s.alpha == 0 {
		s.alpha = AlphaDefault
	}
	if s.beta == 0 {
		s.beta = BetaDefault
	}
	return s, nil
}

// From implements Search. It costs, for each level, an epoch and an all-reduction.
func (s *direction[V]) From(root uint64) error {
	s.startAt(root)
	s.backwards, s.steps = false, [2]int{}
	own, last, unexplored := s.queued(), front{}, s.all
	for level := V(0); ; level++ {
		all, err := pebble.AllReduce(s.g.Rank, own, front.add)
		if err != nil || all.vertices == 0 {
			return err
		}
		s.turn(s.isBackwards(all, last, unexplored), level)
		unexplored -= min(unexplored, all.arcs)
		last = all
		if own, err = s.step(level); err != nil {
			return err
		}
	}
}

// isBackwards chooses the direction of the next step: against arcs when the arcs that leave the frontier are more than
// one in alpha of those that are left, along them again when the frontier shrinks and is less than one in beta of the
// vertices.
func (s *direction[V]) isBackwards(now, last front, unexplored uint64) bool {
	if s.backwards {
		return now.vertices >= last.vertices || float64(now.vertices)*s.beta >= float64(s.g.Vertices)
	}
	return float64(now.arcs)*s.alpha > float64(unexplored)
}

// step takes the step of the vertices at this level, and returns this rank's part of the next frontier.
func (s *direction[V]) step(level V) (front, error) {
	if s.backwards {
		s.steps[1]++
		return s.pull(level)
	}
	s.steps[0]++
	err := s.push(level)
	return s.queued(), err
}

// turn sets the direction of the next step. A frontier is a list for a step along arcs, a part of a bitmap for one
// against them.
func (s *direction[V]) turn(backwards bool, level V) {
	switch {
	case backwards == s.backwards:
	case backwards:
		clear(s.frontier)
		for _, v := range s.queue[s.done:] {
			s.level[v] = level
			s.set(s.frontier, v)
		}
		s.done = len(s.queue)
	default:
		s.each(s.frontier, func(v V) { s.queue = append(s.queue, v) })
		for i, word := range s.frontier {
			s.known[s.from+i] |= word
		}
	}
	s.backwards = backwards
}

// queued is this rank's part of a frontier that is a list.
func (s *direction[V]) queued() front {
	f := front{vertices: s.reached()}
	for _, v := range s.queue[s.done:] {
		f.arcs += s.Offsets[v+1] - s.Offsets[v]
	}
	return f
}
