package sssp

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// arc is the pebble that compares the ends of an arc. It goes to its head, with the distance through the arc.
type arc[V distgraph.Index] struct {
	Head, Tail V
	Dist       float64
}

func (a arc[V]) fingerprint() uint64 {
	return apps.Fold(uint64(a.Head)^uint64(a.Tail)<<32, ^math.Float64bits(a.Dist))
}

// validator checks the tree of a search by the rules of Graph500 (see graph.ValidatePaths, its serial twin):
//
//  1. The parents form a tree rooted at the root, without cycles, which spans exactly the vertices with a distance.
//  2. The root is at distance 0. Each tree edge is an arc of the graph, and the child's distance is the parent's plus
//     the arc's weight.
//  3. No arc leads from a reached vertex to a vertex that is not reached, or farther than the tail's distance plus the
//     arc's weight.
//
// It starts at the root and follows the tree. A vertex connected to the root sends a pebble to the heads of all its
// arcs. A head with this parent and with the right distance is connected too, and continues. So it finds a cycle of
// arcs of weight 0, which breaks no rule about single arcs, because no pebble along the tree reaches it. A reached
// vertex that is not connected is a breach. The cost is a pebble for each arc that leaves a reached vertex; a tally
// accounts for them.
type validator[V distgraph.Index] struct {
	*search[V]
	arcs  *target.Target[arc[V]]
	seen  apps.Tally
	hangs []bool
	queue []V // connected vertices that have yet to send their arcs
	told  []arc[V]
	found distgraph.Breaches
}

func newValidator[V distgraph.Index](s *search[V]) *validator[V] {
	c := &validator[V]{search: s, hangs: make([]bool, s.g.Local)}
	c.arcs = target.New(s.g.Rank, s.target("arcs"), s.g.Owner,
		target.Keys(func(vs []arc[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Head)
			}
		}),
		target.Batch(c.judge))
	return c
}

func (c *validator[V]) run() (distgraph.Breaches, error) {
	clear(c.hangs)
	c.found, c.seen, c.queue = distgraph.Breaches{}, apps.Tally{}, c.queue[:0]
	c.checkRoot()
	err := c.g.Rank.Epoch(func() error { return nil }, pebble.Idle(c.sendArcs), pebble.Named("validate"))
	if err == nil {
		err = c.seen.Check(c.g.Rank, "check the tree")
	}
	if err != nil {
		return distgraph.Breaches{}, err
	}
	c.checkSpan()
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
	if c.dist[v] != 0 {
		c.found.Add(rootNotAtZero, c.root, 0, c.dist[v], 0)
	}
	c.hang(v)
}

func (c *validator[V]) hang(v V) {
	c.hangs[v] = true
	c.queue = append(c.queue, v)
}

// sendArcs is the idle work: it sends the arcs of some vertices connected to the root.
func (c *validator[V]) sendArcs() bool {
	if len(c.queue) == 0 {
		return false
	}
	for arcs := 0; arcs < expandAtOnce && len(c.queue) > 0; {
		last := len(c.queue) - 1
		v := c.queue[last]
		c.queue = c.queue[:last]
		weights := c.WeightsOf(v)
		for i, head := range c.Row(v) {
			a := arc[V]{head, c.first + v, c.dist[v] + weights[i]}
			c.seen.Send(a.fingerprint())
			c.told = append(c.told, a)
		}
		arcs += len(weights) + 1
		if len(c.told) >= sendAtOnce {
			c.send()
		}
	}
	c.send()
	return true
}

// send sends the buffered arcs. Handlers that run meanwhile add none.
func (c *validator[V]) send() {
	c.arcs.SendAll(c.told)
	c.told = c.told[:0]
}

// judge is the handler.
func (c *validator[V]) judge(vs []arc[V]) {
	for _, a := range vs {
		isOwn := c.isOwn(a.Head)
		if c.seen.Take(a.fingerprint(), isOwn); !isOwn {
			continue
		}
		v := a.Head - c.first
		switch dist := c.dist[v]; {
		case math.IsInf(dist, 1) && !math.IsInf(a.Dist, 1):
			c.found.Add(headUnreached, uint64(a.Tail), uint64(a.Head), a.Dist, 0)
		case dist > a.Dist:
			c.found.Add(tooFar, uint64(a.Tail), uint64(a.Head), a.Dist, dist)
		case dist == a.Dist && c.parent[v] == a.Tail && !c.hangs[v] && !math.IsInf(dist, 1):
			c.hang(v)
		}
	}
}

// checkSpan checks each vertex alone, when all arcs have been handled.
func (c *validator[V]) checkSpan() {
	for v, parent := range c.parent {
		index, dist := uint64(c.first)+uint64(v), c.dist[v]
		switch isReached := !math.IsInf(dist, 1); {
		case !(dist >= 0): // NaN too
			c.found.Add(noDistance, index, 0, dist, 0)
		case isReached && parent == distgraph.None[V]():
			c.found.Add(distanceAlone, index, 0, dist, 0)
		case !isReached && parent != distgraph.None[V]():
			c.found.Add(parentAlone, index, uint64(parent), 0, 0)
		case isReached && !c.hangs[v]:
			c.found.Add(notHanging, index, uint64(parent), dist, 0)
		}
	}
}

// The rules, and the ways to break them.
const (
	rootAdopted = iota
	rootNotAtZero
	noDistance
	distanceAlone
	parentAlone
	headUnreached
	tooFar
	notHanging
)

// Rules has a text for each, for [distgraph.Graph.Describe]. The texts format two vertices and two distances.
var Rules = []string{
	rootAdopted:   "rule 1: the root %[1]d has parent %[2]d, not itself",
	rootNotAtZero: "rule 2: the root %[1]d is at distance %[3]v, not 0",
	noDistance:    "rule 2: vertex %[1]d is at distance %[3]v",
	distanceAlone: "rule 1: vertex %[1]d is reached at distance %[3]v but has no parent",
	parentAlone:   "rule 1: vertex %[1]d has parent %[2]d but no distance",
	headUnreached: "rule 3: arc %[1]d -> %[2]d leads to distance %[3]v, and the vertex is not reached",
	tooFar:        "rule 3: arc %[1]d -> %[2]d leads to distance %[3]v, and the vertex is at %[4]v",
	notHanging: "rules 1, 2: vertex %[1]d at distance %[3]v with parent %[2]d: " +
		"no arcs lead from the root along parents to it in that distance",
}
