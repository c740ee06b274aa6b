package uts

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// place is a vertex that was found in memory. Nothing else is known of it before it is read.
type place struct {
	Vertex vertex
	Height uint64
}

// visited notes vertices whose children are known, and appends these.
func (a *Answer) visited(p place, c children, to []place) []place {
	a.Nodes++
	a.Sum += uint64(p.Vertex)
	a.Depth = max(a.Depth, p.Height)
	n := c.count()
	if n == 0 {
		a.Leaves++
		return to
	}
	for v, end := c.first(), c.first()+vertex(n); v < end; v++ {
		to = append(to, place{v, p.Height + 1})
	}
	return to
}

// byTasks is Grappa's UTS-Mem: a task reads vertices wherever they are, and makes tasks of their children.
func (m *memory) byTasks(b *bench) (kernel func() error) {
	read := delegate.New(b.tasks, "vertex", m.owner, func(v vertex) uint64 { return uint64(v) },
		func(v vertex) children { return m.own[m.owner.Local(uint64(v))] })
	told := b.progress()
	var visit *task.Kind[place]
	var next []place
	found := func(p place, c children) {
		next = b.found.visited(p, c, next[:0])
		for _, child := range next {
			visit.Spawn(child)
		}
	}
	if b.config.Batch == 1 {
		visit = task.NewKind(b.tasks, "visit", func(p place) {
			found(p, read.Call(p.Vertex))
			told(b.found.Nodes)
		})
	} else {
		var idle []*batch
		visit = task.NewKindBatch(b.tasks, "visit", b.config.Batch, func(ps []place) {
			var x *batch
			if last := len(idle) - 1; last >= 0 {
				x, idle = idle[last], idle[:last]
			} else {
				x = &batch{make([]vertex, b.config.Batch), make([]children, b.config.Batch)}
			}
			for i, p := range ps {
				x.vertices[i] = p.Vertex
			}
			read.CallAll(x.vertices[:len(ps)], x.children[:len(ps)])
			for i, p := range ps {
				found(p, x.children[i])
			}
			idle = append(idle, x)
			told(b.found.Nodes)
		})
	}
	return func() error {
		return onFirst(b.tasks, func() { visit.Spawn(place{}) })
	}
}

// batch is what a task that reads many vertices needs while it waits.
type batch struct {
	vertices []vertex
	children []children
}

// byPebbles is the same search without tasks: vertices are visited where they are, and make pebbles for their children.
func (m *memory) byPebbles(b *bench) (kernel func() error) {
	told, self := b.progress(), b.rank.ID()
	b.tally = &apps.Tally{}
	var next []place
	var visit *target.Target[place]
	visit = target.New(b.rank, "visit", m.owner, target.Keys(func(ps []place, keys []uint64) {
		for i := range ps {
			keys[i] = uint64(ps[i].Vertex)
		}
	}), target.Batch(func(ps []place) {
		next = next[:0]
		for _, p := range ps {
			own := m.owner.Owner(uint64(p.Vertex)) == self
			b.tally.Take(0, own)
			if own {
				next = b.found.visited(p, m.own[m.owner.Local(uint64(p.Vertex))], next)
			}
		}
		b.tally.Sent += uint64(len(next))
		visit.SendAll(next)
		told(b.found.Nodes)
	}))
	return func() error {
		return b.rank.Epoch(func() error {
			if b.rank.ID() == 0 {
				b.tally.Sent++
				visit.Send(place{})
			}
			return nil
		})
	}
}
