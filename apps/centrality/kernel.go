package centrality

import (
	"errors"
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// ErrPaths is the error of a source with more shortest paths to some vertex than a float64 can count.
var ErrPaths = errors.New("more shortest paths than 1.8e308, which can't be counted")

// Kernel adds up centralities on a graph, for one source after the other. It belongs to its rank's goroutine.
type Kernel interface {
	// From adds the contribution of shortest paths from the vertex with this index. It panics if that is no vertex. All
	// ranks call it.
	From(source uint64) error
	// Tally returns this rank's tally of the pebbles of all sources so far.
	Tally() apps.Tally
	// Reached returns the number of vertices reached from the last source, and the depth. All ranks call it.
	Reached() (vertices uint64, depth int64, err error)
	// Validate checks the contribution of the last source, with two pebbles for each arc that leaves a reached vertex.
	// It returns the breaches that this rank found, or an error on all ranks: if pebbles were not handled as sent, or
	// one that wraps ErrPaths if the number of paths overflows. All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Scores returns the centralities of this rank's vertices, in the order of the graph's source, in a new slice.
	Scores() []float64
}

// NewKernel registers a kernel on g. All ranks call it, between epochs. tasks is the rank's scheduler, which mode Tasks
// needs. The kernel keeps 60 bytes for each vertex of the rank, and ByLevel 16 bytes and a bit for each vertex of the
// graph. If the available memory is too small, it returns an error.
func NewKernel(g *distgraph.Graph, mode Mode, tasks *task.Scheduler) (Kernel, error) {
	if err := g.Fits("centralities of", 17*float64(g.Vertices)+60*float64(g.Local)); err != nil {
		return nil, err
	}
	if g.Wide != nil {
		return newKernel(g, g.Wide, mode, tasks), nil
	}
	return newKernel(g, g.Narrow, mode, tasks), nil
}

func newKernel[V vertex](g *distgraph.Graph, p *distgraph.Part[V], mode Mode, tasks *task.Scheduler) Kernel {
	switch t := newTally(g, p); mode {
	case ByLevel, "":
		return newByLevel(t)
	case Tasks:
		if tasks == nil {
			panic("centrality: mode tasks needs a scheduler")
		}
		return newByTasks(t, tasks)
	}
	panic(fmt.Sprintf("centrality: mode %q is not one of %s, %s", mode, ByLevel, Tasks))
}

// vertex is the type of indices in memory and in pebbles.
type vertex = distgraph.Index

// sendAtOnce is the number of pebbles that a kernel buffers before it sends them.
const sendAtOnce = 512

// found is a kernel's results for this rank's vertices, and its scores.
type found[V vertex] struct {
	*distgraph.Part[V]
	g      *distgraph.Graph
	target func(what string) string // names of targets
	first  V                        // index of the rank's first vertex
	local  V                        // number of its vertices
	source uint64                   // index of the source
	// this rank's reached vertices, level after level; never grows beyond its capacity
	queue  []V
	levels []int     // positions in queue of the beginning of each level and of the end of the last
	paths  []float64 // number of shortest paths to each vertex; 0 if it is not reached
	// through is, for each vertex, the sum of (1 + dependency) / paths over the heads of its arcs that are one level
	// on. The vertex's own dependency is paths times through.
	through []float64
	scores  []float64
	tally   apps.Tally // of the kernel
	check   *validator[V]
}

func newTally[V vertex](g *distgraph.Graph, p *distgraph.Part[V]) *found[V] {
	f := &found[V]{
		Part: p, g: g, target: g.Kernel("centrality"), first: V(g.First), local: V(g.Local), queue: make([]V, 0, g.Local),
		through: make([]float64, g.Local), scores: make([]float64, g.Local),
	}
	f.check = newValidator(f)
	return f
}

// isOwn reports whether the vertex with this index is one of this rank's.
func (f *found[V]) isOwn(index V) bool { return index-f.first < f.local }

// start drops the last source, and makes a new one the first level.
func (f *found[V]) start(source uint64) {
	if source >= f.g.Vertices {
		panic(fmt.Sprintf("centrality: from vertex %d of a graph of %d vertices", source, f.g.Vertices))
	}
	f.source = source
	f.queue, f.levels = f.queue[:0], append(f.levels[:0], 0)
	clear(f.paths)
	clear(f.through)
	if f.g.Owns(source) {
		v := V(source) - f.first
		f.paths[v] = 1
		f.queue = append(f.queue, v)
	}
}

// level returns this rank's part of a level.
func (f *found[V]) level(level int) []V { return f.queue[f.levels[level]:f.levels[level+1]] }

// depth returns the last level with a vertex on some rank.
func (f *found[V]) depth() int { return len(f.levels) - 2 }

// out calls step for each level from the source until no vertex is left. It costs an all-reduction for each level.
func (f *found[V]) out(step func(frontier []V) error) error {
	for {
		begin := f.levels[len(f.levels)-1]
		frontier := f.queue[begin:]
		reached, err := apps.Sum(f.g.Rank, uint64(len(frontier)))
		if err != nil || reached == 0 {
			return err
		}
		f.levels = append(f.levels, len(f.queue))
		if err := step(frontier); err != nil {
			return err
		}
	}
}

// x returns the share of a vertex for each of its predecessors.
func (f *found[V]) x(v V) float64 { return 1/f.paths[v] + f.through[v] }

// score adds the contribution of the source.
func (f *found[V]) score() {
	for _, v := range f.queue {
		f.scores[v] += f.paths[v] * f.through[v]
	}
	if f.g.Owns(f.source) { // the source's own dependency does not count; ByLevel never sums it up
		f.through[V(f.source)-f.first] = 0
	}
}

// countable returns an error, on all ranks, if a number of paths overflows.
func (f *found[V]) countable() error {
	var most float64
	for _, v := range f.queue {
		most = max(most, f.paths[v])
	}
	most, err := pebble.AllReduce(f.g.Rank, most, pebble.Max[float64])
	if err == nil && math.IsInf(most, 1) {
		err = fmt.Errorf("graph %s has %w", f.g.Name, ErrPaths)
	}
	return err
}

// Tally implements Kernel.
func (f *found[V]) Tally() apps.Tally { return f.tally }

// Reached implements Kernel.
func (f *found[V]) Reached() (uint64, int64, error) {
	total, err := apps.Sum(f.g.Rank, uint64(len(f.queue)))
	return total, int64(f.depth()), err
}

// Validate implements Kernel.
func (f *found[V]) Validate() (distgraph.Breaches, error) { return f.check.run() }

// Scores implements Kernel.
func (f *found[V]) Scores() []float64 { return distgraph.BySource(f.Part, f.scores) }

// step is a task's request about an arc. It goes to the head. On the way out it carries the tail's Paths; on the way
// back Paths is 0, and it asks for the head's share in the tail's sum. Level is the level of the head if the arc is on
// a shortest path.
type step[V vertex] struct {
	Head, Tail V
	Level      uint64
	Paths      float64
}

func (s step[V]) fingerprint() uint64 {
	return apps.Fold(uint64(s.Head)^uint64(s.Tail)<<32, math.Float64bits(s.Paths)^s.Level<<40)
}

// byTasks is Grappa's method (Nelson and others, 2014, sections 7.2 and 8.1): parallel loops over each level, out and
// back, and for each arc an operation at the rank that owns the head. A task has some dozens in flight.
type byTasks[V vertex] struct {
	*found[V]
	tasks *task.Scheduler
	at    []uint64 // the level of each vertex of this rank, or unreached
	visit *apps.Delegate[step[V], uint64]
	read  *apps.Delegate[step[V], float64]
}

const unreached = math.MaxUint64

func newByTasks[V vertex](f *found[V], tasks *task.Scheduler) *byTasks[V] {
	s := &byTasks[V]{found: f, tasks: tasks, at: make([]uint64, f.g.Local)}
	f.paths = make([]float64, f.g.Local)
	key := func(q step[V]) uint64 { return uint64(q.Head) }
	s.visit = apps.NewDelegate(tasks, s.target("visits"), f.g.Owner, key, step[V].fingerprint, s.arrive,
		func(is uint64) uint64 { return is }, &f.tally)
	s.read = apps.NewDelegate(tasks, s.target("reads"), f.g.Owner, key, step[V].fingerprint, s.share, math.Float64bits,
		&f.tally)
	return s
}

// From implements Kernel. It costs two epochs and an all-reduction for each level.
func (s *byTasks[V]) From(source uint64) error {
	s.start(source)
	for v := range s.at {
		s.at[v] = unreached
	}
	if s.g.Owns(source) {
		s.at[V(source)-s.first] = 0
	}
	if err := s.out(s.expand); err != nil {
		return err
	}
	for level := s.depth() - 1; level > 0; level-- {
		if err := s.gather(s.level(level), uint64(level)+1); err != nil {
			return err
		}
	}
	s.score()
	return nil
}

// expand is the step from a frontier to the next level. Like gather, it is an epoch.
func (s *byTasks[V]) expand(frontier []V) error {
	next := uint64(s.depth()) + 1
	return s.tasks.Run(func() {
		apps.EachArc(s.tasks, s.visit, frontier, s.Row,
			func(v, w V) step[V] { return step[V]{w, s.first + v, next, s.paths[v]} }, func(step[V], uint64) {})
	})
}

// arrive adds paths to a vertex of this rank, if they are shortest ones, and returns 1 if so. It runs at the head's
// owner.
func (s *byTasks[V]) arrive(q step[V]) uint64 {
	v := q.Head - s.first
	if s.at[v] == unreached {
		s.at[v] = q.Level
		s.queue = append(s.queue, v)
	}
	if s.at[v] != q.Level {
		return 0
	}
	s.paths[v] += q.Paths
	return 1
}

// gather sums up the dependencies of the vertices of a level.
func (s *byTasks[V]) gather(vertices []V, next uint64) error {
	return s.tasks.Run(func() {
		apps.EachArc(s.tasks, s.read, vertices, s.Row,
			func(v, w V) step[V] { return step[V]{w, s.first + v, next, 0} },
			func(q step[V], x float64) { s.through[q.Tail-s.first] += x })
	})
}

// share returns the share of a vertex of this rank for its predecessors on shortest paths. It runs at the head's owner.
func (s *byTasks[V]) share(q step[V]) float64 {
	if v := q.Head - s.first; s.at[v] == q.Level {
		return s.x(v)
	}
	return 0
}
