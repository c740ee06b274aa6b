package bfs

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// visit is the pebble of the level mode. It goes to its child.
type visit[V vertex] struct{ Child, Parent V }

// byLevel is the level-synchronous kernel.
type byLevel[V vertex] struct {
	*tree[V]
	visits *target.Target[visit[V]]
	out    []visit[V]
	// known has a bit for each vertex of the graph: a vertex of this rank that is reached, or one of another rank that has
	// been sent a visit. A later visit can't change anything: it comes in the same level or after.
	known      []uint64
	unfiltered bool
	queue      []V // this rank's vertices as they are reached, level after level; never grows beyond its capacity
}

func newByLevel[V vertex](t *tree[V], unfiltered bool) *byLevel[V] {
	s := &byLevel[V]{
		tree: t, unfiltered: unfiltered,
		out: make([]visit[V], sendAtOnce), known: make([]uint64, t.g.Vertices/64+1), queue: make([]V, 0, t.g.local),
	}
	s.visits = target.New(t.g.rank, t.target("visits"), t.g.owner,
		target.Keys(func(vs []visit[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Child)
			}
		}),
		target.Batch(s.visit),
		target.Reduce(reduce.First[visit[V]]()))
	return s
}

// From implements Search. It costs, for each level, an epoch and an all-reduction.
func (s *byLevel[V]) From(root uint64) error {
	s.start(root)
	clear(s.known)
	s.queue = s.queue[:0]
	if s.g.owns(root) {
		s.visit([]visit[V]{{V(root), V(root)}})
	}
	done := 0
	for depth := V(0); ; depth++ {
		frontier := s.queue[done:]
		done = len(s.queue)
		err := s.g.rank.Epoch(func() error {
			s.expand(frontier, depth)
			return nil
		}, pebble.Depth(1))
		if err != nil {
			return err
		}
		next, err := apps.Sum(s.g.rank, uint64(len(s.queue)-done))
		if err != nil || next == 0 {
			return err
		}
	}
}

// visit is the handler.
func (s *byLevel[V]) visit(vs []visit[V]) {
	known, queue := s.known, s.queue
	for _, v := range vs {
		word, bit := &known[v.Child/64], uint64(1)<<(v.Child%64)
		if *word&bit != 0 {
			continue
		}
		*word |= bit
		child := v.Child - s.first
		s.parent[child] = v.Parent
		queue = append(queue, child)
	}
	s.queue = queue
}

// expand settles the level of the frontier and visits what its arcs lead to.
func (s *byLevel[V]) expand(frontier []V, depth V) {
	out, n := s.out, 0
	known, first, local, unfiltered := s.known, s.first, s.local, s.unfiltered
	for _, v := range frontier {
		s.level[v] = depth
		parent := first + v
		for _, w := range s.row(v) {
			word, bit := &known[w/64], uint64(1)<<(w%64)
			if *word&bit != 0 {
				continue
			}
			if w-first >= local && !unfiltered {
				*word |= bit
			}
			out[n] = visit[V]{w, parent}
			if n++; n == len(out) {
				s.visits.SendAll(out)
				n = 0
			}
		}
	}
	s.visits.SendAll(out[:n])
}
