package bfs

import (
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Search is a kernel on a graph, with the result of its last search. It belongs to its rank's goroutine.
type Search interface {
	// From searches from the vertex with this index; it panics if there is none. All ranks call it.
	From(root uint64) error
	// Resume makes the next search continue from the newest checkpoint of the job, if one exists, and save its state
	// between levels, with the given parts. Async and Tasks do nothing. All ranks call it, once, between epochs.
	Resume(seed uint64, parts ...checkpoint.Part) error
	// Before returns the seconds of the earlier runs that the last search continued.
	Before() float64
	// Tally returns this rank's tally of the pebbles of all searches so far.
	Tally() apps.Tally
	// Summary sums the result over all ranks. All ranks call it.
	Summary() (Summary, error)
	// Validate checks the result by the five rules of Graph500, with one pebble per tree edge and one per arc, and
	// returns the breaches that this rank found. It returns an error, on all ranks, if not all of those pebbles were
	// handled as they were sent. All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Result returns the parents and the levels of this rank's vertices in the order of the source, graph.Unreached for
	// unreached ones. A parent is a number of the source's vertices: its place among all in the order of the source.
	// Result makes new slices, and costs two pebbles per vertex in an ordered graph. All ranks call it.
	Result() (parent, level []int64, err error)
	// Columns returns vertex, parent and distance of this rank's reached vertices, by labels and in their order: see
	// [distgraph.TreeColumns]. All ranks call it.
	Columns() ([]export.Column, error)
}

// Summary is the result of a search in numbers that do not depend on its choice among several shortest paths.
type Summary struct {
	graph.Summary
	// Traversed is the number of edges for Graph500's rate: those of the reached component, each counted once, or in a
	// directed graph the arcs with a reached tail.
	Traversed uint64
}

// Tuning is the options of a Search beyond its mode. The zero Tuning is for normal use.
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
// directed graph the first search by Direction also makes the rows of the reversed arcs, which cost 4 bytes per arc (8
// from 2^32 vertices) and twice that during construction. NewSearch returns an error if the available memory is too
// small.
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

// none is the parent and the level of an unreached vertex.
func none[V vertex]() V { return distgraph.None[V]() }

// sendAtOnce is the number of pebbles that a kernel collects before it sends them.
const sendAtOnce = 512

// tree is the result of a search for this rank's vertices.
type tree[V vertex] struct {
	*distgraph.Part[V]
	g      *distgraph.Graph
	target func(what string) string // names of targets
	first  V                        // index of the rank's first vertex
	local  V                        // number of its vertices
	root   uint64                   // index of the root
	parent []V                      // none for unreached vertices
	level  []V
	tally  apps.Tally // of the searches
	check  *validator[V]
	names  *distgraph.Parents[V]
	levels apps.Steps
	saved  []V // numbers of parents, at a save
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

// isOwn reports whether the vertex with this index belongs to this rank.
func (t *tree[V]) isOwn(index V) bool { return index-t.first < t.local }

// Tally implements Search.
func (t *tree[V]) Tally() apps.Tally { return t.tally }

// start discards the last search.
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

// Columns implements Search.
func (t *tree[V]) Columns() ([]export.Column, error) {
	distances := make([]float64, t.local)
	for v, level := range t.level {
		if distances[v] = float64(level); level == none[V]() {
			distances[v] = math.Inf(1)
		}
	}
	columns, err := distgraph.TreeColumns(t.g, t.Part, t.root, distances)
	if err != nil {
		return nil, err
	}
	levels := []uint64{}
	for _, distance := range columns[2].Values.([]float64) {
		levels = append(levels, uint64(distance))
	}
	columns[2].Values = levels
	return columns, nil
}

func signed[V vertex](v V) int64 {
	if v == none[V]() {
		return graph.Unreached
	}
	return int64(v)
}

// byLevel is the level-synchronous kernel.
type byLevel[V vertex] struct{ *pusher[V] }

// Resume implements Search.
func (s byLevel[V]) Resume(seed uint64, parts ...checkpoint.Part) error {
	return s.restore(seed, parts)
}

// From implements Search. A level costs an epoch and an all-reduce.
func (s byLevel[V]) From(root uint64) error {
	s.begin(root)
	return s.levels.Run(func(level int) (more bool, err error) {
		if err := s.push(V(level)); err != nil {
			return false, err
		}
		reached, err := apps.Sum(s.g.Rank, s.reached())
		return reached > 0, err
	})
}

// byTasks is Grappa's search (Nelson and others, 2014, sections 7.2 and 8.1): a parallel loop over the frontier of each
// level. For each arc, the owner of the child does a compare-and-swap of its parent, and the task that asks waits for
// some dozens of answers at a time. There is no filter: it asks about each arc that leaves a reached vertex.
type byTasks[V vertex] struct {
	*tree[V]
	tasks *task.Scheduler
	swap  *apps.Delegate[visit[V], V]
	queue []V    // reached vertices of this rank, level after level
	won   uint64 // children that this rank's vertices have won in the level
}

func newByTasks[V vertex](t *tree[V], s *task.Scheduler) *byTasks[V] {
	b := &byTasks[V]{tree: t, tasks: s, queue: make([]V, 0, t.g.Local)}
	b.swap = apps.NewDelegate(s, t.target("swaps"), t.g.Owner, func(v visit[V]) uint64 { return uint64(v.Child) },
		visit[V].fingerprint, b.compareAndSwap, func(before V) uint64 { return uint64(before) }, &t.tally)
	return b
}

// From implements Search. A level costs an epoch and an all-reduce.
func (s *byTasks[V]) From(root uint64) error {
	s.start(root)
	s.queue = s.queue[:0]
	if s.g.Owns(root) {
		v := V(root) - s.first
		s.parent[v], s.level[v] = V(root), 0
		s.queue = append(s.queue, v)
	}
	for done, level := 0, V(0); ; level++ {
		frontier := s.queue[done:]
		done = len(s.queue)
		s.won = 0
		err := s.tasks.Run(func() {
			apps.EachArc(s.tasks, s.swap, frontier, s.Row, func(v, w V) visit[V] { return visit[V]{w, s.first + v} }, s.count)
		})
		if err != nil {
			return err
		}
		for _, v := range s.queue[done:] {
			s.level[v] = level + 1
		}
		reached, err := apps.Sum(s.g.Rank, s.won)
		if err != nil || reached == 0 {
			return err
		}
	}
}

// count counts children that had no parent before.
func (s *byTasks[V]) count(_ visit[V], before V) {
	if before == none[V]() {
		s.won++
	}
}

// compareAndSwap sets the parent of the child if it has none, and returns its previous parent. It runs at the child's
// owner.
func (s *byTasks[V]) compareAndSwap(v visit[V]) V {
	child := v.Child - s.first
	before := s.parent[child]
	if before == none[V]() {
		s.parent[child] = v.Parent
		s.queue = append(s.queue, child)
	}
	return before
}

// visit is the pebble of a step along arcs. It goes to its child.
type visit[V vertex] struct{ Child, Parent V }

func (v visit[V]) fingerprint() uint64 { return apps.Fold(uint64(v.Child), uint64(v.Parent)) }

// pusher takes steps along arcs: the vertices of a frontier visit the heads of their arcs.
type pusher[V vertex] struct {
	*tree[V]
	visits *target.Target[visit[V]]
	out    []visit[V]
	// known has a bit for each vertex of the graph. It is set if the vertex belongs to this rank and is reached, or
	// belongs to another rank and has been sent a visit or is known to be reached. A later visit can change nothing,
	// because its level is not lower.
	known      []uint64
	unfiltered bool
	queue      []V // reached vertices of this rank, level after level; never grows beyond its capacity
	inOrder    distgraph.Arranger[V]
	done       int // number of vertices in queue that have had their step
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

// startAt discards the last search, and makes the root the first frontier.
func (s *pusher[V]) startAt(root uint64) {
	s.start(root)
	clear(s.known)
	s.queue, s.done = s.queue[:0], 0
	if s.g.Owns(root) {
		s.visit([]visit[V]{{V(root), V(root)}})
	}
}

// begin makes the frontier of the first level, or of the level of a checkpoint: reached vertices that have not had
// their step. After a restart, known has no bits of other ranks' vertices.
func (s *pusher[V]) begin(root uint64) {
	if s.levels.Done() == 0 {
		s.startAt(root)
		return
	}
	s.root = root
	clear(s.known)
	s.queue, s.done = s.queue[:0], 0
	for v, parent := range s.parent {
		if parent == none[V]() {
			continue
		}
		at := s.first + V(v)
		s.known[at/64] |= 1 << (at % 64)
		if level := s.level[v]; level == none[V]() || level == V(s.levels.Done()) {
			s.level[v] = none[V]()
			s.queue = append(s.queue, V(v))
		}
	}
}

// reached returns the number of this rank's vertices that wait for their step.
func (s *pusher[V]) reached() uint64 { return uint64(len(s.queue) - s.done) }

// push takes the step of the vertices at this level. It costs an epoch.
func (s *pusher[V]) push(level V) error {
	frontier := s.queue[s.done:]
	s.done = len(s.queue)
	s.inOrder.Arrange(frontier)
	return s.g.Rank.Epoch(func() error {
		s.expand(frontier, level)
		return nil
	}, pebble.Depth(1), pebble.Named("level"))
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

// handle is the handler of visits.
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

// visit adds unreached vertices of this rank to the next level.
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

// expand sets the level of the frontier and visits the heads of its arcs: a vertex of this rank directly, as its pebble
// would (the local trap), one of another rank by a pebble.
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
