package components

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// spreading is the kernel that spreads labels: a vertex that gets a smaller one offers it along its arcs, in one epoch.
// A ghost's value is the smallest label known to have reached it; only a smaller one is offered.
type spreading[V distgraph.Index] struct {
	*found[V]
	offers  *distgraph.Notes[V]
	queue   []V    // places of vertices with a label to offer
	done    int    // number of them that are done
	next    []V    // the places after them
	waiting []bool // by place: it is in queue or next, and not done
}

func newSpreading[V distgraph.Index](f *found[V], name func(what string) string) *spreading[V] {
	s := &spreading[V]{found: f, waiting: make([]bool, f.local)}
	s.offers = distgraph.NewNotes(f.g, name("offers"), func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			s.lower(n.Vertex-s.first, n.Value)
		}
	})
	return s
}

// Run implements Kernel. It costs one epoch.
func (s *spreading[V]) Run() error {
	for rank := range s.g.Rank.Size() {
		begin, end := s.ghosts.Of(rank)
		for slot := begin; slot < end; slot++ {
			s.ghosts.Values[slot] = distgraph.None[V]()
		}
	}
	for v := V(0); v < s.local; v++ {
		s.ghosts.Values[v] = distgraph.None[V]()
		s.lower(v, s.first+v)
	}
	return s.g.Rank.Epoch(func() error { return nil }, pebble.Named("spread"), pebble.Idle(s.spread))
}

// lower gives a vertex a label if that is smaller.
func (s *spreading[V]) lower(v, label V) {
	if label >= s.ghosts.Values[v] {
		return
	}
	s.ghosts.Values[v] = label
	if !s.waiting[v] {
		s.waiting[v] = true
		s.next = append(s.next, v)
	}
}

// spread is the epoch's idle work: it offers the labels of some vertices.
func (s *spreading[V]) spread() bool {
	const atOnce = 256
	if s.done == len(s.queue) {
		s.queue, s.next, s.done = s.next, s.queue[:0], 0
	}
	some := s.queue[s.done:min(s.done+atOnce, len(s.queue))]
	s.done += len(some)
	for _, v := range some {
		s.waiting[v] = false
		s.offer(v)
	}
	s.offers.Flush()
	return len(some) > 0
}

func (s *spreading[V]) offer(v V) {
	label, values := s.ghosts.Values[v], s.ghosts.Values
	row := s.Row(v)
	for i, slot := range s.ghosts.Slots[s.Offsets[v]:s.Offsets[v+1]] {
		switch {
		case label >= values[slot]:
		case slot < s.local:
			s.lower(slot, label)
		case label < row[i]: // a ghost starts with its own index, which is at least its label
			values[slot] = label
			s.offers.Send(row[i], label)
		}
	}
}

// Tally implements Kernel.
func (s *spreading[V]) Tally() apps.Tally { return s.offers.Tally() }
