package uts

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// vertex is the number of a node in memory. While the tree is built, it consists of the number of a rank and, in the
// low bits, the number of the vertex at that rank.
type vertex uint64

const vertexBits = 40

// onRank returns a vertex's number at its rank, while the tree is built.
func (v vertex) onRank() vertex { return v & (1<<vertexBits - 1) }

// children is the place of the children of a vertex, which have consecutive numbers. 0 means none.
type children uint64

func childrenAt(first vertex, n uint64) children { return children(uint64(first)<<16 | n) }

func (c children) first() vertex { return vertex(c >> 16) }
func (c children) count() uint64 { return uint64(c) & (1<<16 - 1) }

// memory is a tree in the memory of all ranks.
type memory struct {
	vertices uint64 // number of vertices of all ranks
	owner    *distribution.BlockCyclicMap
	own      []children // of this rank's vertices
}

// blockVertices is the number of vertices of a block: 64 bytes, Grappa's unit of distribution (section 4.3).
const blockVertices = 8

// bytesPerVertex bounds the memory for building a tree with children at half of its vertices.
const bytesPerVertex = 8 + 2*16/2

// build builds the tree: all ranks search it, and number the vertices that they find. Then they send the places of the
// children to the owners of the vertices.
func (b *bench) build(s *search) (*memory, error) {
	ranks := b.rank.Size()
	if err := apps.MustFit(b.rank, "the vertices", b.want.Nodes*bytesPerVertex/uint64(ranks),
		"take a smaller tree, or more processes"); err != nil {
		return nil, err
	}
	w := s.walker
	w.builds, w.next = true, vertex(b.rank.ID())<<vertexBits
	found, err := s.run(func(uint64) {})
	if err != nil {
		return nil, err
	}
	counts, err := pebble.AllGather(b.rank, found.Nodes)
	if err != nil {
		return nil, err
	}
	m, firsts := &memory{}, make([]uint64, ranks)
	for rank, n := range counts {
		firsts[rank] = m.vertices
		m.vertices += n
	}
	if m.vertices != b.want.Nodes {
		return nil, fmt.Errorf("the tree that was built has %d vertices, and must have %d", m.vertices, b.want.Nodes)
	}
	m.owner = distribution.BlockCyclic(m.vertices, ranks, blockVertices)
	m.own = pebble.HugePages[children](m.owner.LocalLen(b.rank.ID()))
	return m, m.place(b.rank, w.built, firsts)
}

// place sends the places of children to the owners of the vertices. firsts are the numbers of each rank's first vertex.
func (m *memory) place(r *pebble.Rank, built []placed, firsts []uint64) error {
	var tally apps.Tally
	owner, self := m.owner, r.ID()
	t := target.New(r, "places", owner, target.Keys(func(ps []placed, keys []uint64) {
		for i := range ps {
			keys[i] = uint64(ps[i].Of)
		}
	}), target.Batch(func(ps []placed) {
		for _, p := range ps {
			own := owner.Owner(uint64(p.Of)) == self
			tally.Take(apps.Fold(uint64(p.Of), uint64(p.Where)), own)
			if own {
				m.own[owner.Local(uint64(p.Of))] = p.Where
			}
		}
	}))
	first := func(v vertex) vertex { return vertex(firsts[v>>vertexBits]) } // of the rank that has found v
	err := r.Epoch(func() error {
		for len(built) > 0 {
			some := built[:min(len(built), target.SendBufferMax)]
			for i := range some {
				p := &some[i]
				*p = placed{first(p.Of) + p.Of.onRank(), childrenAt(vertex(firsts[self])+p.Where.first(), p.Where.count())}
				tally.Send(apps.Fold(uint64(p.Of), uint64(p.Where)))
			}
			t.SendAll(some)
			built = built[len(some):]
		}
		return nil
	}, pebble.Depth(1), pebble.Named("build"))
	if err != nil {
		return err
	}
	return tally.Check(r, "placing the vertices")
}

// place is a vertex found in memory, before it is read.
type place struct {
	Vertex vertex
	Height uint64
}

// visited counts a vertex with known children, and appends them to to.
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

// byTasks is Grappa's UTS-Mem: a task reads vertices at their owners, and spawns tasks for their children.
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

// batch is the scratch memory of a task that waits for many vertices.
type batch struct {
	vertices []vertex
	children []children
}

// byPebbles is the same search without tasks: owners visit their vertices, and send pebbles for their children.
func (m *memory) byPebbles(b *bench) (kernel func() error) {
	told, self := b.progress(), b.rank.ID()
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
		}, pebble.Named("traverse"))
	}
}
