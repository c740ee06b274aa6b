package bfs

import (
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// visit is the pebble of a step along arcs. It goes to its child.
type visit[V vertex] struct{ Child, Parent V }

func (v visit[V]) fingerprint() uint64 { return apps.Fold(uint64(v.Child), uint64(v.Parent)) }

// pusher takes steps along arcs: the vertices of a frontier visit what their arcs lead to.
type pusher[V vertex] struct {
	*tree[V]
	visits *target.Target[visit[V]]
	out    []visit[V]
	// known has a bit for each vertex of the graph: a vertex of this rank that is reached, or one of another rank that has
	// been sent a visit or is known to be reached. A later visit can't change anything: it comes in the same level or
	// after.
	known      []uint64
	unfiltered bool
	queue      []V // this rank's vertices as they are reached, level after level; never grows beyond its capacity
	inOrder    distgraph.Arranger[V]
	done       int // so many of the queue are of levels that have had their step
}

func newPusher[V vertex](t *tree[V], unfiltered bool) *pusher[V] {
	s := &pusher[V]{
		tree: t, unfiltered: unfiltered,
		out: make([]visit[V], sendAtOnce), known: make([]uint64, t.g.Vertices/64+1), queue: make([]V, 0, t.g.Local),
		inOrder: distgraph.NewArranger[V](t.g.Local),
	}
	s.visits = target.New(t.g.Rank, t.target("visits"), t.g.Owner,
		target.Keys(func(vs []visit[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Child)
			}
		}),
		target.Batch(s.handle),
		target.Reduce(reduce.First[visit[V]]()))
	return s
}

// startAt forgets the last search, and makes the root the first frontier.
func (s *pusher[V]) startAt(root uint64) {
	s.start(root)
	clear(s.known)
	s.queue, s.done = s.queue[:0], 0
	if s.g.Owns(root) {
		s.visit([]visit[V]{{V(root), V(root)}})
	}
}

// reached is how many vertices of this rank wait for their step.
func (s *pusher[V]) reached() uint64 { return uint64(len(s.queue) - s.done) }

// push is the step of the vertices at this level. It costs an epoch.
func (s *pusher[V]) push(level V) error {
	frontier := s.queue[s.done:]
	s.done = len(s.queue)
	s.inOrder.Arrange(frontier)
	return s.g.Rank.Epoch(func() error {
		s.expand(frontier, level)
		return nil
	}, pebble.Depth(1))
}

// sendAll sends visits.
func (s *pusher[V]) sendAll(vs []visit[V]) {
	sum := uint64(0)
	for _, v := range vs {
		sum += v.fingerprint()
	}
	s.tally.Sent += uint64(len(vs))
	s.tally.Sum += sum
	s.visits.SendAll(vs)
}

// handle is the handler.
func (s *pusher[V]) handle(vs []visit[V]) {
	sum, astray := uint64(0), uint64(0)
	for _, v := range vs {
		sum += v.fingerprint()
		if !s.isOwn(v.Child) {
			astray++
		}
	}
	s.tally.Handled += uint64(len(vs))
	s.tally.Sum -= sum
	if s.tally.Misplaced += astray; astray > 0 {
		vs = slices.DeleteFunc(vs, func(v visit[V]) bool { return !s.isOwn(v.Child) })
	}
	s.visit(vs)
}

// visit makes members of the next level of vertices of this rank, if they are not reached.
func (s *pusher[V]) visit(vs []visit[V]) {
	known, parent, queue, first := s.known, s.parent, s.queue, s.first
	for _, v := range vs {
		word, bit := &known[v.Child/64], uint64(1)<<(v.Child%64)
		if *word&bit != 0 {
			continue
		}
		*word |= bit
		child := v.Child - first
		parent[child] = v.Parent
		queue = append(queue, child)
	}
	s.queue = queue
}

// expand settles the level of the frontier and visits what its arcs lead to: a vertex of this rank here and now, as its
// pebble would be (the local trap), one of another rank by a pebble.
func (s *pusher[V]) expand(frontier []V, depth V) {
	known, parents, queue, out, n := s.known, s.parent, s.queue, s.out, 0
	first, local, unfiltered := s.first, s.local, s.unfiltered
	for _, v := range frontier {
		s.level[v] = depth
		parent := first + v
		for _, w := range s.Row(v) {
			word, bit := &known[w/64], uint64(1)<<(w%64)
			if *word&bit != 0 {
				continue
			}
			if own := w - first; own < local {
				*word |= bit
				parents[own] = parent
				queue = append(queue, own)
				continue
			}
			if !unfiltered {
				*word |= bit
			}
			out[n] = visit[V]{w, parent}
			if n++; n == len(out) {
				s.queue = queue // a handler may run
				s.sendAll(out)
				queue = s.queue
				n = 0
			}
		}
	}
	s.queue = queue
	s.sendAll(out[:n])
}
