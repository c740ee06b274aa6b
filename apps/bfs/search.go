package bfs

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Search is a kernel on a graph, with the result of its last search. It belongs to its rank's goroutine.
type Search interface {
	// From searches from the vertex with this index; it panics if there is none. All ranks call it.
	From(root uint64) error
	// Tally is what this rank has seen of the pebbles of all searches so far.
	Tally() apps.Tally
	// Summary sums up the result over all ranks. All ranks call it.
	Summary() (Summary, error)
	// Validate checks the result by the five rules of Graph500, with one pebble a tree edge and one an arc, and returns
	// what breaches this rank found; an error, on all ranks, when not all of those pebbles were handled as they were sent.
	// All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Result returns the parent and the level of this rank's vertices in the order of the source, graph.Unreached for
	// those that were not reached. Parents are numbers of the source's vertices: the place of a vertex among all in the
	// order of the source. It makes new slices, and costs two pebbles a vertex in an ordered graph. All ranks call it.
	Result() (parent, level []int64, err error)
}

// Summary is what a search found, in numbers that do not depend on which of several shortest paths it took.
type Summary struct {
	graph.Summary
	// Traversed is the number of edges by which Graph500 divides the time: those of the component reached, each counted
	// once. In a directed graph, the arcs whose tail is reached.
	Traversed uint64
}

// Tuning is what a Search can be told beyond its mode. The zero Tuning is for normal use.
type Tuning struct {
	// Unfiltered is Config.Unfiltered.
	Unfiltered bool
	// Alpha and Beta are Config.Alpha and Config.Beta.
	Alpha, Beta float64
	// Tasks is the rank's scheduler, which Tasks needs.
	Tasks *task.Scheduler
}

// NewSearch registers a kernel on g, between epochs, on all ranks together. It keeps three indices for each vertex of
// the rank, and a bit for each vertex of the graph; Async keeps a byte for each vertex of the graph instead. On a
// directed graph the first search by Direction also makes the rows of the reversed arcs, which cost 4 bytes an arc (8
// when there are 2^32 vertices) and twice as much while they are made. What the memory that is available has no room
// for is refused.
func NewSearch(g *distgraph.Graph, mode Mode, tuning Tuning) (Search, error) {
	if g.Wide != nil {
		return newSearch(g, g.Wide, mode, tuning)
	}
	return newSearch(g, g.Narrow, mode, tuning)
}

func newSearch[V vertex](g *distgraph.Graph, p *distgraph.Part[V], mode Mode, tuning Tuning) (Search, error) {
	switch t := newTree(g, p); mode {
	case ByLevel, "":
		return byLevel[V]{newPusher(t, tuning.Unfiltered)}, nil
	case Async:
		if err := g.Fits("asynchronous search of", float64(g.Vertices)); err != nil {
			return nil, err
		}
		return newAsync(t, tuning.Unfiltered), nil
	case Direction:
		return newDirection(t, tuning)
	case Tasks:
		if tuning.Tasks == nil {
			panic("bfs: mode tasks needs a scheduler: give Tuning.Tasks")
		}
		return newByTasks(t, tuning.Tasks), nil
	}
	panic(fmt.Sprintf("bfs: mode %q is not one of %s", mode, apps.Names(Modes)))
}

// vertex is the type of indices in memory and in pebbles.
type vertex = distgraph.Index

// none stands for the parent and the level of a vertex that is not reached.
func none[V vertex]() V { return distgraph.None[V]() }

// sendAtOnce is how many pebbles a kernel gathers before it sends them.
const sendAtOnce = 512

// tree is what a search finds out about this rank's vertices.
type tree[V vertex] struct {
	*distgraph.Part[V]
	g      *distgraph.Graph
	target func(what string) string // names of targets
	first  V                        // index of the rank's first vertex
	local  V                        // number of its vertices
	root   uint64                   // its index
	parent []V                      // none for vertices that are not reached
	level  []V
	tally  apps.Tally // of the searches
	check  *validator[V]
	names  *distgraph.Parents[V]
}

func newTree[V vertex](g *distgraph.Graph, p *distgraph.Part[V]) *tree[V] {
	t := &tree[V]{
		Part: p, g: g, target: g.Kernel("bfs"), first: V(g.First), local: V(g.Local),
		parent: make([]V, g.Local), level: make([]V, g.Local),
	}
	t.check = newValidator(t)
	t.names = distgraph.NewParents[V](g, t.target)
	return t
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
		s.Traversed += t.Counts[v]
	}
	s, err := pebble.AllReduce(t.g.Rank, s, func(a, b Summary) Summary {
		a.Reached += b.Reached
		a.Sum += b.Sum
		a.Depth = max(a.Depth, b.Depth)
		a.Traversed += b.Traversed
		return a
	})
	s.Traversed /= t.g.ArcsPerEdge()
	return s, err
}

// Validate implements Search.
func (t *tree[V]) Validate() (distgraph.Breaches, error) { return t.check.run() }

// Result implements Search.
func (t *tree[V]) Result() (parent, level []int64, err error) {
	levels := t.level
	parents, err := t.names.Ask(t.parent)
	if err != nil {
		return nil, nil, err
	}
	parent, level = make([]int64, t.local), make([]int64, t.local)
	for number := range parent {
		place := t.Place(uint64(number))
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
