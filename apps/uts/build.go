package uts

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// vertex is the number of a node in memory. While the tree is built it is the number of a rank and, in the low bits,
// that of the vertex among those that this rank has found.
type vertex uint64

const vertexBits = 40

// onRank is a vertex's number on its rank, while the tree is built.
func (v vertex) onRank() vertex { return v & (1<<vertexBits - 1) }

// children is where the children of a vertex are: they have consecutive numbers. 0 is none.
type children uint64

func childrenAt(first vertex, n uint64) children { return children(uint64(first)<<16 | n) }

func (c children) first() vertex { return vertex(c >> 16) }
func (c children) count() uint64 { return uint64(c) & (1<<16 - 1) }

// memory is a tree in the memory of all ranks.
type memory struct {
	vertices uint64 // of all ranks
	owner    *distribution.BlockCyclicMap
	own      []children // of this rank's vertices
}

// blockVertices is how many vertices lie together: 64 bytes, as Grappa deals its memory out (section 4.3).
const blockVertices = 8

// bytesPerVertex bounds what building takes, for a tree half of whose vertices have children.
const bytesPerVertex = 8 + 2*16/2

// build builds the tree: all ranks search it, and number the vertices that they find. Then they tell the owners of
// these where their children are.
func (b *bench) build(s *search) (*memory, error) {
	ranks := b.rank.Size()
	if err := apps.MustFit(b.rank, "the vertices", b.want.Nodes*bytesPerVertex/uint64(ranks), "take a smaller tree, or more processes"); err != nil {
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

// place tells the owners of the vertices where the children of these are. firsts are the numbers of each rank's first
// vertex.
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
	first := func(v vertex) vertex { return vertex(firsts[v>>vertexBits]) } // of the rank that has found it
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
	}, pebble.Depth(1))
	if err != nil {
		return err
	}
	return tally.Check(r, "placing the vertices")
}
