package bfs

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// Search is a kernel on a graph, with the result of its last search. It belongs to its rank's goroutine.
type Search interface {
	// From searches from the vertex with this index; it panics if there is none. All ranks call it.
	From(root uint64) error
	// Summary sums up the result over all ranks. All ranks call it.
	Summary() (Summary, error)
	// Validate checks the result by the five rules of Graph500, with one pebble a tree edge and one an arc, and returns what
	// breaches this rank found. All ranks call it.
	Validate() (Breaches, error)
	// Result returns the parent and the level of this rank's vertices, graph.Unreached for those that were not reached. It
	// makes new slices.
	Result() (parent, level []int64)
}

// Summary is what a search found, in numbers that do not depend on which of several shortest paths it took.
type Summary struct {
	graph.Summary
	// Traversed is the number of edges by which Graph500 divides the time: those of the component reached, each counted once.
	// In a directed graph, the arcs whose tail is reached.
	Traversed uint64
}

// NewSearch registers a kernel on g, between epochs, on all ranks. unfiltered is Config.Unfiltered. It keeps three indices for
// each vertex of the rank and a bit for each vertex of the graph.
func NewSearch(g *Graph, mode Mode, unfiltered bool) Search {
	g.searches++
	if g.wide != nil {
		return newSearch(g, g.wide, mode, unfiltered)
	}
	return newSearch(g, g.narrow, mode, unfiltered)
}

func newSearch[V vertex](g *Graph, c *rows[V], mode Mode, unfiltered bool) Search {
	t := newTree(g, c)
	switch mode {
	case ByLevel, "":
		return newByLevel(t, unfiltered)
	case Async:
		return newAsync(t)
	}
	panic(fmt.Sprintf("bfs: mode %q is not one of %s", mode, modeNames()))
}

// sendAtOnce is how many pebbles a kernel gathers before it sends them.
const sendAtOnce = 512

// tree is what a search finds out about this rank's vertices.
type tree[V vertex] struct {
	*rows[V]
	g      *Graph
	first  V // index of the rank's first vertex
	local  V // number of its vertices
	root   uint64
	parent []V // none for vertices that are not reached
	level  []V
	check  *validator[V]
}

func newTree[V vertex](g *Graph, c *rows[V]) *tree[V] {
	t := &tree[V]{
		rows: c, g: g, first: V(g.first), local: V(g.local),
		parent: make([]V, g.local), level: make([]V, g.local),
	}
	t.check = newValidator(t)
	return t
}

func (t *tree[V]) target(what string) string {
	return fmt.Sprintf("%s.%d", t.g.target(what), t.g.searches)
}

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
		s.Traversed += uint64(len(t.row(V(v))))
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
func (t *tree[V]) Result() (parent, level []int64) {
	return signed(t.parent), signed(t.level)
}

func signed[V vertex](of []V) []int64 {
	s := make([]int64, len(of))
	for i, v := range of {
		s[i] = graph.Unreached
		if v != none[V]() {
			s[i] = int64(v)
		}
	}
	return s
}
