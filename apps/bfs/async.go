package bfs

import (
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// offer is the pebble of the asynchronous mode: come to this level, below this parent. It goes to its vertex.
type offer[V vertex] struct{ Vertex, Parent, Level V }

// async is the label-correcting kernel.
//
// Whoever lowers the level of a vertex sees to it that a pebble comes to the vertex later, or is there: a vertex whose level
// lies below the one at which it last made offers then makes them anew.
type async[V vertex] struct {
	*tree[V]
	offers  *target.Target[offer[V]]
	out     []offer[V]
	offered []V // the level at which a vertex last made offers
	better  []V // vertices that are to make offers, of the batch at hand
}

func newAsync[V vertex](t *tree[V]) *async[V] {
	s := &async[V]{tree: t, out: make([]offer[V], 0, sendAtOnce), offered: make([]V, t.g.local)}
	s.offers = target.New(t.g.rank, t.target("offers"), t.g.owner,
		target.Keys(func(vs []offer[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Vertex)
			}
		}),
		target.Batch(s.take),
		target.Reduce(reduce.Best(func(a, b offer[V]) bool { return a.Level < b.Level })))
	return s
}

// From implements Search. It costs one epoch. A vertex may take several offers before the best one comes, and then makes
// offers again each time, so more pebbles travel than there are arcs; what waits for its own rank may grow up to the job's
// memory limit.
func (s *async[V]) From(root uint64) error {
	s.start(root)
	for v := range s.offered {
		s.offered[v] = none[V]()
	}
	return s.g.rank.Epoch(func() error {
		if s.g.owns(root) {
			s.offers.Send(offer[V]{V(root), V(root), 0})
		}
		return nil
	})
}

// take is the handler. It first takes all offers of a batch, so that a vertex with several makes its own but once.
func (s *async[V]) take(vs []offer[V]) {
	better, level := s.better[:0], s.level
	for _, o := range vs {
		v := o.Vertex - s.first
		if o.Level < level[v] {
			level[v], s.parent[v] = o.Level, o.Parent
		}
		if level[v] < s.offered[v] {
			better = append(better, v)
		}
	}
	s.better = better
	for _, v := range better {
		if level[v] < s.offered[v] {
			s.offered[v] = level[v]
			s.expand(v)
		}
	}
	s.offers.SendAll(s.out)
	s.out = s.out[:0]
}

// expand makes offers to what the arcs of v lead to. A vertex of this rank takes its offer at once, and the pebble tells it to
// make its own in turn; so it gets no second pebble for the same level. To make the offers at once too would run deep into
// this rank's part of the graph, along paths that are not the shortest.
func (s *async[V]) expand(v V) {
	parent, level := s.first+v, s.level[v]+1
	for _, w := range s.row(v) {
		if own := w - s.first; own < s.local {
			if s.level[own] <= level {
				continue
			}
			s.level[own], s.parent[own] = level, parent
		}
		s.out = append(s.out, offer[V]{w, parent, level})
		if len(s.out) == cap(s.out) {
			s.offers.SendAll(s.out)
			s.out = s.out[:0]
		}
	}
}
