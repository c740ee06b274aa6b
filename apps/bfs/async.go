package bfs

import (
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// offer is the pebble of the asynchronous mode: come to this level, below this parent. It goes to its vertex.
type offer[V vertex] struct{ Vertex, Parent, Level V }

// wake is the pebble by which a rank tells itself that vertices wait to make offers.
type wake struct{ Rank uint64 }

func (o offer[V]) fingerprint() uint64 {
	return apps.Fold(uint64(o.Vertex)^uint64(o.Level)<<32, uint64(o.Parent))
}

// async is the label-correcting kernel.
//
// A vertex whose level is lowered waits, in line with others of its level, to make offers to what its arcs lead to. A
// rank's lines move by a pebble to the rank itself: so offers that have arrived come first, and few vertices make
// offers that they must make again at a lower level.
type async[V vertex] struct {
	*tree[V]
	offers *target.Target[offer[V]]
	wakes  *target.Target[wake]
	awake  bool // a wake is on its way
	out    []offer[V]
	lines  lines[V]
	// told has a byte for each vertex of the graph: the lowest level that this rank has offered it, or of one of its own
	// vertices, the level. It is highest when there is none, or the byte has no room for it.
	told       []uint8
	unfiltered bool
}

// highest stands for all levels from it on, which are offered unseen.
const highest = math.MaxUint8

// expandAtOnce is about how many arcs a rank looks at before it looks for what has arrived.
const expandAtOnce = 1 << 14

func newAsync[V vertex](t *tree[V], unfiltered bool) *async[V] {
	s := &async[V]{tree: t, out: make([]offer[V], 0, sendAtOnce), told: make([]uint8, t.g.Vertices), unfiltered: unfiltered}
	s.lines.inOrder = distgraph.NewArranger[V](t.g.Local)
	s.offers = target.New(t.g.Rank, t.target("offers"), t.g.Owner,
		target.Keys(func(vs []offer[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Vertex)
			}
		}),
		target.Batch(s.arrive),
		target.Reduce(reduce.Best(func(a, b offer[V]) bool { return a.Level < b.Level })))
	ranks := t.g.Rank.Size()
	s.wakes = target.New(t.g.Rank, t.target("wakes"), distribution.Ranks(ranks),
		target.Key(func(w wake) uint64 { return w.Rank }), target.Each(func(w wake) {
			s.tally.Take(apps.Fold(w.Rank, 0), w.Rank == uint64(s.g.Rank.ID()))
			if s.awake { // a wake too many would find nothing to do
				s.move()
			}
		}))
	return s
}

// From implements Search. It costs one epoch. A vertex may take several offers before the best one comes, and then
// makes offers again each time, so more arcs are looked at than there are. A rank offers a vertex of another rank each
// level from 0 to 254 at most once, and only if it is lower than what it has offered before.
func (s *async[V]) From(root uint64) error {
	s.start(root)
	for v := range s.told {
		s.told[v] = highest
	}
	s.lines.clear()
	s.awake = false
	return s.g.Rank.Epoch(func() error {
		if s.g.Owns(root) {
			s.sendAll([]offer[V]{{V(root), V(root), 0}})
		}
		return nil
	})
}

// sendAll sends offers.
func (s *async[V]) sendAll(vs []offer[V]) {
	sum := uint64(0)
	for _, v := range vs {
		sum += v.fingerprint()
	}
	s.tally.Sent += uint64(len(vs))
	s.tally.Sum += sum
	s.offers.SendAll(vs)
}

// arrive is the handler of offers.
func (s *async[V]) arrive(vs []offer[V]) {
	sum, astray := uint64(0), uint64(0)
	for _, v := range vs {
		sum += v.fingerprint()
		if !s.isOwn(v.Vertex) {
			astray++
		}
	}
	s.tally.Handled += uint64(len(vs))
	s.tally.Sum -= sum
	if s.tally.Misplaced += astray; astray > 0 {
		vs = slices.DeleteFunc(vs, func(v offer[V]) bool { return !s.isOwn(v.Vertex) })
	}
	s.lowerAll(vs)
}

// lowerAll lowers levels as offers say.
func (s *async[V]) lowerAll(vs []offer[V]) {
	for _, o := range vs {
		if v := o.Vertex - s.first; o.Level < s.level[v] {
			s.lower(v, o.Parent, o.Level)
		}
	}
	s.wake()
}

// lower gives a vertex of this rank a lower level, and a parent.
func (s *async[V]) lower(v, parent, level V) {
	s.level[v], s.parent[v] = level, parent
	s.told[s.first+v] = uint8(min(level, highest))
	s.lines.join(v, level)
}

func (s *async[V]) wake() {
	if !s.awake && s.lines.count > 0 {
		s.awake = true
		w := wake{uint64(s.g.Rank.ID())}
		s.tally.Send(apps.Fold(w.Rank, 0))
		s.wakes.Send(w)
	}
}

// move is the handler of wakes. It lets vertices of the lowest level make their offers, all of them or as many as have
// arcs enough. At the end of a line the offers leave: others would be at work on higher levels meanwhile.
func (s *async[V]) move() {
	s.awake = false
	level, isEmpty := s.lines.lowest(), false
	for arcs := 0; arcs < expandAtOnce && !isEmpty; {
		v, ok := s.lines.pop(level)
		if isEmpty = !ok; ok && s.level[v] == level {
			arcs += s.expand(v)
		}
	}
	s.sendAll(s.out)
	s.out = s.out[:0]
	if isEmpty {
		s.offers.Flush()
	}
	s.wake()
}

// expand makes offers to what the arcs of v lead to, and returns how many those are. A vertex of this rank takes its
// offer at once.
func (s *async[V]) expand(v V) (arcs int) {
	parent, level, told := s.first+v, s.level[v]+1, s.told
	short := uint8(min(level, highest))
	seen := int(short) // who has been told this level or a lower one needs no offer
	if short == highest || s.unfiltered {
		seen = -1
	}
	row := s.Row(v)
	for _, w := range row {
		if int(told[w]) <= seen {
			continue
		}
		if own := w - s.first; own < s.local {
			if seen >= 0 || level < s.level[own] {
				s.lower(own, parent, level)
			}
			continue
		}
		told[w] = short
		if s.out = append(s.out, offer[V]{w, parent, level}); len(s.out) == cap(s.out) {
			s.sendAll(s.out)
			s.out = s.out[:0]
		}
	}
	return len(row)
}
