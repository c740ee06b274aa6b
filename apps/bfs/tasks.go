package bfs

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/task"
)

// byTasks is Grappa's search (Nelson and others, 2014, sections 7.2 and 8.1): a parallel loop over the frontier of each
// level, and for each arc a compare-and-swap of the parent at the rank that owns the child, which the task that asks
// waits for: for some dozens at a time. There is no filter: each arc that leaves a reached vertex is asked about.
type byTasks[V vertex] struct {
	*tree[V]
	tasks *task.Scheduler
	swap  *apps.Delegate[visit[V], V]
	queue []V    // this rank's vertices as they are reached, level after level
	won   uint64 // children that this rank's vertices have got in the level
}

func newByTasks[V vertex](t *tree[V], s *task.Scheduler) *byTasks[V] {
	b := &byTasks[V]{tree: t, tasks: s, queue: make([]V, 0, t.g.Local)}
	b.swap = apps.NewDelegate(s, t.target("swaps"), t.g.Owner, func(v visit[V]) uint64 { return uint64(v.Child) },
		visit[V].fingerprint, b.compareAndSwap, func(before V) uint64 { return uint64(before) }, &t.tally)
	return b
}

// From implements Search. It costs, for each level, an epoch and an all-reduction.
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

// compareAndSwap gives the child a parent if it has none, and returns the parent that it had. It runs at the child's
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
