package centrality

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps/distgraph"
)

// kind says which rule is broken, and in which way.
type kind uint64

const (
	sourceOff kind = iota
	reachedTwice
	headUnreached
	levelsOfArc
	pathsAlone
	pathsWrong
	sumWrong
)

// broken has a text for each kind. The texts are filled with two vertices and two numbers.
var broken = [...]string{
	sourceOff:     "rule 1: the source %[1]d is at level %[3]v with %[4]v paths, not at level 0 with one",
	reachedTwice:  "rule 2: vertex %[1]d is in levels %[3]v and %[4]v",
	headUnreached: "rule 2: arc %[1]d -> %[2]d leads from level %[3]v to a vertex that is not reached",
	levelsOfArc:   "rule 2: arc %[1]d -> %[2]d leads from level %[3]v to level %[4]v",
	pathsAlone:    "rule 3: %[3]v paths lead to vertex %[1]d, which is not reached",
	pathsWrong:    "rule 3: %[3]v paths lead to vertex %[1]d, and %[4]v along the arcs from the level before",
	sumWrong:      "rule 4: vertex %[1]d has %[3]v from the level that follows, and its arcs bring %[4]v",
}

func (c *validator[V]) breach(k kind, v, w uint64, a, b float64) {
	c.breaches.Add(distgraph.Breach{Kind: uint64(k), V: v, W: w, A: math.Float64bits(a), B: math.Float64bits(b)})
}

func describe(b distgraph.Breach) string {
	return fmt.Sprintf(broken[b.Kind], b.V, b.W, math.Float64frombits(b.A), math.Float64frombits(b.B))
}
