package centrality

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/task"
)

// step is what a task asks about an arc: of the tail, which Paths lead to, on the way out, and of the sum for the tail
// on the way back, where Paths is 0. It goes to the head. Level is the head's, if the arc is one of a shortest path.
type step[V vertex] struct {
	Head, Tail V
	Level      uint64
	Paths      float64
}

func (s step[V]) fingerprint() uint64 {
	return apps.Fold(uint64(s.Head)^uint64(s.Tail)<<32, math.Float64bits(s.Paths)^s.Level<<40)
}

// byTasks is Grappa's way (Nelson and others, 2014, sections 7.2 and 8.1): parallel loops over each level, out and
// back, and for each arc an operation at the rank that owns the head, which the task waits for: for some dozens at a
// time.
type byTasks[V vertex] struct {
	*found[V]
	tasks *task.Scheduler
	at    []uint64 // the level of each vertex of this rank; unreached for one that has none
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
	s.read = apps.NewDelegate(tasks, s.target("reads"), f.g.Owner, key, step[V].fingerprint, s.share, math.Float64bits, &f.tally)
	return s
}

// From implements Kernel. It costs two epochs and an all-reduction a level.
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

// expand is the step of a frontier to the next level. It is an epoch, as gather is.
func (s *byTasks[V]) expand(frontier []V) error {
	next := uint64(s.depth()) + 1
	return s.tasks.Run(func() {
		apps.EachArc(s.tasks, s.visit, frontier, s.Row,
			func(v, w V) step[V] { return step[V]{w, s.first + v, next, s.paths[v]} }, func(step[V], uint64) {})
	})
}

// arrive adds paths to a vertex of this rank, if they are shortest ones, and tells whether they are. It runs at the
// head's owner.
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

// gather sums up what depends on the vertices of a level.
func (s *byTasks[V]) gather(vertices []V, next uint64) error {
	return s.tasks.Run(func() {
		apps.EachArc(s.tasks, s.read, vertices, s.Row,
			func(v, w V) step[V] { return step[V]{w, s.first + v, next, 0} },
			func(q step[V], x float64) { s.through[q.Tail-s.first] += x })
	})
}

// share is what a vertex of this rank contributes to those that lead to it by a shortest path. It runs at the head's
// owner.
func (s *byTasks[V]) share(q step[V]) float64 {
	if v := q.Head - s.first; s.at[v] == q.Level {
		return s.x(v)
	}
	return 0
}
