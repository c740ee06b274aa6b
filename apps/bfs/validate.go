package bfs

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// claim is the pebble that a vertex sends to its parent to check their tree edge.
type claim[V vertex] struct{ Parent, Child, Level V }

func (c claim[V]) fingerprint() uint64 {
	return apps.Fold(uint64(c.Child)^uint64(c.Level)<<32, uint64(c.Parent))
}

// edge is the pebble that compares the ends of an arc. It goes to its head; Level is the tail's.
type edge[V vertex] struct{ Head, Tail, Level V }

// fingerprint differs from that of a claim with the same numbers.
func (e edge[V]) fingerprint() uint64 {
	return apps.Fold(uint64(e.Head), uint64(e.Tail)^uint64(e.Level)<<32)
}

// validator checks the tree of a search by the rules of Graph500 (see graph.Validate, its serial twin):
//
//  1. The parents form a tree rooted at the root.
//  2. Each tree edge joins vertices whose levels differ by one.
//  3. Each edge joins vertices whose levels differ by at most one, or both unreached; an arc of a directed graph whose
//     tail is reached leads at most one level down.
//  4. A vertex has a parent if and only if it has a level.
//  5. Each tree edge is an edge of the graph.
//
// A cycle of parents breaks rule 2: levels cannot decrease all the way around. An undirected edge is two arcs, so rule
// 3 is checked from both of its ends. The cost is a pebble for each arc and each reached vertex, and a bit for each
// vertex. An arc whose pebble is lost is not checked, so a tally counts the pebbles, each with a fingerprint.
type validator[V vertex] struct {
	*tree[V]
	claims *target.Target[claim[V]]
	edges  *target.Target[edge[V]]
	seen   apps.Tally
	joined []uint64 // a bit for each vertex of this rank: the graph has its tree edge
	found  distgraph.Breaches
}

func newValidator[V vertex](t *tree[V]) *validator[V] {
	c := &validator[V]{tree: t, joined: make([]uint64, t.g.Local/64+1)}
	c.claims = target.New(t.g.Rank, t.target("claims"), t.g.Owner,
		target.Keys(func(vs []claim[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Parent)
			}
		}),
		target.Batch(c.judgeClaims))
	c.edges = target.New(t.g.Rank, t.target("edges"), t.g.Owner,
		target.Keys(func(vs []edge[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Head)
			}
		}),
		target.Batch(c.judgeEdges))
	return c
}

func (c *validator[V]) run() (distgraph.Breaches, error) {
	clear(c.joined)
	c.found, c.seen = distgraph.Breaches{}, apps.Tally{}
	err := c.g.Rank.Epoch(func() error {
		c.checkRoot()
		c.sendClaims()
		c.sendEdges()
		return nil
	}, pebble.Depth(1), pebble.Named("validate"))
	if err == nil {
		err = c.seen.Check(c.g.Rank, "check the tree")
	}
	if err != nil {
		return distgraph.Breaches{}, err
	}
	c.checkJoined()
	return c.found, nil
}

func (c *validator[V]) checkRoot() {
	if !c.g.Owns(c.root) {
		return
	}
	v := V(c.root) - c.first
	if c.parent[v] != V(c.root) {
		c.found.Add(rootAdopted, c.root, uint64(c.parent[v]), 0, 0)
	}
	if c.level[v] != 0 {
		c.found.Add(rootNotAtZero, c.root, 0, float64(c.level[v]), 0)
	}
}

// sendClaims checks rule 4 and the parts of rule 1 that need no other vertex, and sends claims to the parents for the
// rest.
func (c *validator[V]) sendClaims() {
	out := make([]claim[V], 0, sendAtOnce)
	for v, parent := range c.parent {
		index, level := c.first+V(v), c.level[v]
		switch {
		case uint64(index) == c.root || parent == none[V]() && level == none[V]():
		case parent == none[V]():
			c.found.Add(levelAlone, uint64(index), 0, float64(level), 0)
		case level == none[V]():
			c.found.Add(parentAlone, uint64(index), uint64(parent), 0, 0)
		case uint64(parent) >= c.g.Vertices:
			c.found.Add(parentNowhere, uint64(index), uint64(parent), 0, 0)
		case parent == index:
			c.found.Add(secondRoot, uint64(index), 0, 0, 0)
		default:
			v := claim[V]{parent, index, level}
			c.seen.Send(v.fingerprint())
			if out = append(out, v); len(out) == cap(out) {
				c.claims.SendAll(out)
				out = out[:0]
			}
		}
	}
	c.claims.SendAll(out)
}

func (c *validator[V]) judgeClaims(vs []claim[V]) {
	for _, v := range vs {
		isOwn := c.isOwn(v.Parent)
		if c.seen.Take(v.fingerprint(), isOwn); !isOwn {
			continue
		}
		switch level := c.level[v.Parent-c.first]; {
		case level == none[V]():
			c.found.Add(parentUnreached, uint64(v.Child), uint64(v.Parent), 0, 0)
		case v.Level != level+1:
			c.found.Add(levelsOfTree, uint64(v.Child), uint64(v.Parent), float64(v.Level), float64(level))
		}
	}
}

func (c *validator[V]) sendEdges() {
	out := make([]edge[V], 0, sendAtOnce)
	for v, level := range c.level {
		for _, head := range c.Row(V(v)) {
			e := edge[V]{head, c.first + V(v), level}
			c.seen.Send(e.fingerprint())
			if out = append(out, e); len(out) == cap(out) {
				c.edges.SendAll(out)
				out = out[:0]
			}
		}
	}
	c.edges.SendAll(out)
}

func (c *validator[V]) judgeEdges(vs []edge[V]) {
	for _, e := range vs {
		isOwn := c.isOwn(e.Head)
		if c.seen.Take(e.fingerprint(), isOwn); !isOwn {
			continue
		}
		head := e.Head - c.first
		if c.parent[head] == e.Tail {
			c.joined[head/64] |= 1 << (head % 64)
		}
		switch level := c.level[head]; {
		case e.Level == none[V]():
		case level == none[V]():
			c.found.Add(headUnreached, uint64(e.Tail), uint64(e.Head), float64(e.Level), 0)
		case level > e.Level+1:
			c.found.Add(levelsOfEdge, uint64(e.Tail), uint64(e.Head), float64(e.Level), float64(level))
		}
	}
}

// checkJoined checks rule 5 after the pebbles of all arcs.
func (c *validator[V]) checkJoined() {
	for v, parent := range c.parent {
		index := uint64(c.first) + uint64(v)
		isJoined := c.joined[v/64]>>(v%64)&1 != 0
		if !isJoined && index != c.root && uint64(parent) < c.g.Vertices && uint64(parent) != index &&
			c.level[v] != none[V]() {
			c.found.Add(noSuchEdge, index, uint64(parent), 0, 0)
		}
	}
}

// The rules, and their breaches.
const (
	rootAdopted = iota
	secondRoot
	parentNowhere
	parentUnreached
	rootNotAtZero
	levelsOfTree
	headUnreached
	levelsOfEdge
	levelAlone
	parentAlone
	noSuchEdge
)

// Rules has a text for each breach, for [distgraph.Graph.Describe], which fills in two vertices and their levels.
var Rules = []string{
	rootAdopted:     "rule 1: the root %[1]d has parent %[2]d, not itself",
	secondRoot:      "rule 1: vertex %[1]d is its own parent, but not the root",
	parentNowhere:   "rule 1: the parent of vertex %[1]d is no vertex",
	parentUnreached: "rule 1: vertex %[1]d has parent %[2]d, which is not reached",
	rootNotAtZero:   "rule 2: the root %[1]d is at level %.0[3]f, not 0",
	levelsOfTree:    "rule 2: vertex %[1]d at level %.0[3]f has parent %[2]d at level %.0[4]f, not one less",
	headUnreached:   "rule 3: edge %[1]d -> %[2]d leads from level %.0[3]f to a vertex that is not reached",
	levelsOfEdge:    "rule 3: edge %[1]d -> %[2]d leads from level %.0[3]f to level %.0[4]f, more than one below",
	levelAlone:      "rule 4: vertex %[1]d is reached at level %.0[3]f but has no parent",
	parentAlone:     "rule 4: vertex %[1]d has parent %[2]d but no level",
	noSuchEdge:      "rule 5: vertex %[1]d has parent %[2]d, but the graph has no edge %[2]d -> %[1]d",
}
