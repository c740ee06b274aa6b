package bfs

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// Search is a kernel on a graph, with the result of its last search. It belongs to its rank's goroutine.
type Search interface {
	// From searches from the vertex with this index; it panics if there is none. All ranks call it.
	From(root uint64) error
	// Tally is what this rank has seen of the pebbles of all searches so far.
	Tally() apps.Tally
	// Summary sums up the result over all ranks. All ranks call it.
	Summary() (Summary, error)
	// Validate checks the result by the five rules of Graph500, with one pebble a tree edge and one an arc, and returns what
	// breaches this rank found; an error, on all ranks, when not all of those pebbles were handled as they were sent. All ranks call it.
	Validate() (Breaches, error)
	// Result returns the parent and the level of this rank's vertices in the order of the source, graph.Unreached for those that
	// were not reached. Parents are numbers of the source's vertices: the place of a vertex among all in the order of the source.
	// It makes new slices, and costs two pebbles a vertex in an ordered graph. All ranks call it.
	Result() (parent, level []int64, err error)
}

// Summary is what a search found, in numbers that do not depend on which of several shortest paths it took.
type Summary struct {
	graph.Summary
	// Traversed is the number of edges by which Graph500 divides the time: those of the component reached, each counted once.
	// In a directed graph, the arcs whose tail is reached.
	Traversed uint64
}

// Tuning is what a Search can be told beyond its mode. The zero Tuning is for normal use.
type Tuning struct {
	// Unfiltered is Config.Unfiltered.
	Unfiltered bool
	// Alpha and Beta are Config.Alpha and Config.Beta.
	Alpha, Beta float64
}

// NewSearch registers a kernel on g, between epochs, on all ranks together. It keeps three indices for each vertex of the rank,
// and a bit for each vertex of the graph; Async keeps a byte for each vertex of the graph instead. On a directed graph the
// first search by Direction also makes the rows of the reversed arcs, which cost 4 bytes an arc (8 when there are 2^32 vertices)
// and twice as much while they are made. What the memory that is available has no room for is refused.
func NewSearch(g *Graph, mode Mode, tuning Tuning) (Search, error) {
	g.searches++
	if g.wide != nil {
		return newSearch(g, g.wide, mode, tuning)
	}
	return newSearch(g, g.narrow, mode, tuning)
}

func newSearch[V vertex](g *Graph, p *part[V], mode Mode, tuning Tuning) (Search, error) {
	switch t := newTree(g, p); mode {
	case ByLevel, "":
		return byLevel[V]{newPusher(t, tuning.Unfiltered)}, nil
	case Async:
		if err := g.fits("asynchronous search of", float64(g.Vertices)); err != nil {
			return nil, err
		}
		return newAsync(t, tuning.Unfiltered), nil
	case Direction:
		return newDirection(t, tuning)
	}
	panic(fmt.Sprintf("bfs: mode %q is not one of %s", mode, modeNames()))
}

// sendAtOnce is how many pebbles a kernel gathers before it sends them.
const sendAtOnce = 512

// tree is what a search finds out about this rank's vertices.
type tree[V vertex] struct {
	*part[V]
	g      *Graph
	first  V      // index of the rank's first vertex
	local  V      // number of its vertices
	root   uint64 // its index
	parent []V    // none for vertices that are not reached
	level  []V
	tally  apps.Tally // of the searches
	check  *validator[V]
	names  *parents[V] // of an ordered graph
}

func newTree[V vertex](g *Graph, p *part[V]) *tree[V] {
	t := &tree[V]{
		part: p, g: g, first: V(g.first), local: V(g.local),
		parent: make([]V, g.local), level: make([]V, g.local),
	}
	t.check = newValidator(t)
	if g.Ordered {
		t.names = newParents(t)
	}
	return t
}

func (t *tree[V]) target(what string) string {
	return fmt.Sprintf("%s.%d", t.g.target(what), t.g.searches)
}

// isOwn reports whether the vertex with this index is one of this rank's.
func (t *tree[V]) isOwn(index V) bool { return index-t.first < t.local }

// Tally implements Search.
func (t *tree[V]) Tally() apps.Tally { return t.tally }

// start forgets the last search.
func (t *tree[V]) start(root uint64) {
	if root >= t.g.Vertices {
		panic(fmt.Sprintf("bfs: a search from vertex %d of a graph of %d vertices", root, t.g.Vertices))
	}
	t.root = root
	for v := range t.parent {
		t.parent[v], t.level[v] = none[V](), none[V]()
	}
}

// Summary implements Search.
func (t *tree[V]) Summary() (Summary, error) {
	var s Summary
	for v, level := range t.level {
		if level == none[V]() {
			continue
		}
		s.Reached++
		s.Sum += uint64(level)
		s.Depth = max(s.Depth, int64(level))
		s.Traversed += t.counts[v]
	}
	s, err := pebble.AllReduce(t.g.rank, s, func(a, b Summary) Summary {
		a.Reached += b.Reached
		a.Sum += b.Sum
		a.Depth = max(a.Depth, b.Depth)
		a.Traversed += b.Traversed
		return a
	})
	s.Traversed /= uint64(arcsPerEdge(t.g.Undirected))
	return s, err
}

// Validate implements Search.
func (t *tree[V]) Validate() (Breaches, error) { return t.check.run() }

// Result implements Search.
func (t *tree[V]) Result() (parent, level []int64, err error) {
	parents, levels := t.parent, t.level
	if t.g.Ordered {
		if parents, err = t.names.ask(); err != nil {
			return nil, nil, err
		}
	}
	parent, level = make([]int64, t.local), make([]int64, t.local)
	for number := range parent {
		place := t.place(uint64(number))
		parent[number], level[number] = signed(parents[place]), signed(levels[place])
	}
	return parent, level, nil
}

func signed[V vertex](v V) int64 {
	if v == none[V]() {
		return graph.Unreached
	}
	return int64(v)
}
