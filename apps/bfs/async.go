package bfs

import (
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// offer is the pebble of the asynchronous mode: come to this level, below this parent. It goes to its vertex.
type offer[V vertex] struct{ Vertex, Parent, Level V }

// async is the label-correcting kernel.
type async[V vertex] struct {
	*tree[V]
	offers  *target.Target[offer[V]]
	out     []offer[V]
	better  []V      // vertices that took an offer of the batch at hand
	pending []uint64 // a bit for each of them
}

func newAsync[V vertex](t *tree[V]) *async[V] {
	s := &async[V]{tree: t, out: make([]offer[V], 0, sendAtOnce), pending: make([]uint64, t.g.local/64+1)}
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
	return s.g.rank.Epoch(func() error {
		if s.g.owns(root) {
			s.offers.Send(offer[V]{V(root), V(root), 0})
		}
		return nil
	})
}

// take is the handler. It first takes all offers of a batch, so that a vertex with several makes its own but once.
func (s *async[V]) take(vs []offer[V]) {
	better, level, parent := s.better[:0], s.level, s.parent
	for _, o := range vs {
		v := o.Vertex - s.first
		if o.Level >= level[v] {
			continue
		}
		level[v], parent[v] = o.Level, o.Parent
		word, bit := &s.pending[v/64], uint64(1)<<(v%64)
		if *word&bit == 0 {
			*word |= bit
			better = append(better, v)
		}
	}
	s.better = better
	for _, v := range better {
		s.pending[v/64] &^= 1 << (v % 64)
		s.expand(v)
	}
	s.offers.SendAll(s.out)
	s.out = s.out[:0]
}

// expand makes offers to what the arcs of v lead to, but for those of this rank's vertices that have as good a level.
func (s *async[V]) expand(v V) {
	parent, level := s.first+v, s.level[v]+1
	for _, w := range s.row(v) {
		if own := w - s.first; own < s.local && s.level[own] <= level {
			continue
		}
		s.out = append(s.out, offer[V]{w, parent, level})
		if len(s.out) == cap(s.out) {
			s.offers.SendAll(s.out)
			s.out = s.out[:0]
		}
	}
}
