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

// offer is the pebble of the asynchronous mode. It offers its vertex a level and a parent.
type offer[V vertex] struct{ Vertex, Parent, Level V }

// wake is a pebble that a rank sends to itself while vertices wait to make offers.
type wake struct{ Rank uint64 }

func (o offer[V]) fingerprint() uint64 {
	return apps.Fold(uint64(o.Vertex)^uint64(o.Level)<<32, uint64(o.Parent))
}

// async is the label-correcting kernel.
//
// A vertex whose level has decreased waits, in a line with others of its level, to make offers to the heads of its
// arcs. A pebble to the rank itself advances the lines. So the rank handles offers that have arrived first, and few
// vertices must repeat their offers at a lower level.
type async[V vertex] struct {
	*tree[V]
	offers *target.Target[offer[V]]
	wakes  *target.Target[wake]
	awake  bool // a wake is on its way
	out    []offer[V]
	lines  lines[V]
	// told has a byte for each vertex of the graph: the lowest level that this rank has offered to it, or the level of
	// one of its own vertices. The byte is highest if there is none, or if the level does not fit.
	told       []uint8
	unfiltered bool
}

// highest represents all levels from it on. Offers of these levels are not filtered.
const highest = math.MaxUint8

// expandAtOnce is the approximate number of arcs that a rank examines before it handles arrivals.
const expandAtOnce = 1 << 14

func newAsync[V vertex](t *tree[V], unfiltered bool) *async[V] {
	s := &async[V]{tree: t, out: make([]offer[V], 0, sendAtOnce), told: make([]uint8, t.g.Vertices),
		unfiltered: unfiltered}
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
			if s.awake { // with one wake too many, move would find no vertex
				s.move()
			}
		}))
	return s
}

// From implements Search. It costs one epoch. A vertex may accept several offers before the best one arrives, and then
// repeats its own offers each time, so more arcs are examined than exist. A rank offers a vertex of another rank each
// level from 0 to 254 at most once, and only if it is lower than all earlier offers.
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

// lowerAll lowers levels by the offers.
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

// move is the handler of wakes. It lets vertices of the lowest level make their offers, up to about expandAtOnce arcs.
// At the end of a line it flushes the offers: otherwise other ranks would work on higher levels meanwhile.
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

// expand makes offers to the heads of v's arcs, and returns the number of arcs. A vertex of this rank handles its offer
// at once.
func (s *async[V]) expand(v V) (arcs int) {
	parent, level, told := s.first+v, s.level[v]+1, s.told
	short := uint8(min(level, highest))
	seen := int(short) // a vertex that was offered this level or a lower one needs no offer
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

// lines are waiting vertices, by level. A vertex joins a line each time its level decreases to that of the line, so at
// most once per line; a reader of a line skips vertices whose level is now lower. Empty lines are reused, so the memory
// is that of the vertices that wait at the same time, and 24 bytes for each level.
type lines[V vertex] struct {
	byLevel [][]V
	from    int // lowest line that may have a vertex
	count   int // vertices in all lines
	free    [][]V
	inOrder distgraph.Arranger[V]
	sorted  int // level of the line that was sorted last
}

const noLine = -1

func (l *lines[V]) clear() {
	for level := range l.byLevel {
		l.recycle(level)
	}
	l.from, l.count, l.sorted = 0, 0, noLine
}

func (l *lines[V]) recycle(level int) {
	if line := l.byLevel[level]; cap(line) > 0 {
		l.free = append(l.free, line[:0])
		l.byLevel[level] = nil
	}
}

func (l *lines[V]) join(v, level V) {
	for int(level) >= len(l.byLevel) {
		l.byLevel = append(l.byLevel, nil)
	}
	line := l.byLevel[level]
	if last := len(l.free) - 1; cap(line) == 0 && last >= 0 {
		line, l.free = l.free[last], l.free[:last]
	}
	l.byLevel[level] = append(line, v)
	l.from = min(l.from, int(level))
	l.count++
}

// lowest returns the lowest level of a waiting vertex; there must be one. If the level has changed since the last call,
// it sorts the line.
func (l *lines[V]) lowest() V {
	for len(l.byLevel[l.from]) == 0 {
		l.recycle(l.from)
		l.from++
	}
	if l.sorted != l.from {
		l.inOrder.Arrange(l.byLevel[l.from])
		l.sorted = l.from
	}
	return V(l.from)
}

// pop removes the vertex that last joined the line of this level, if there is one.
func (l *lines[V]) pop(level V) (v V, ok bool) {
	line := l.byLevel[level]
	last := len(line) - 1
	if last < 0 {
		return 0, false
	}
	l.byLevel[level] = line[:last]
	l.count--
	return line[last], true
}
