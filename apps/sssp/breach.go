package sssp

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps/distgraph"
)

// kind says which rule is broken, and in which way.
type kind uint64

const (
	rootAdopted kind = iota
	rootNotAtZero
	noDistance
	distanceAlone
	parentAlone
	headUnreached
	tooFar
	notHanging
)

// broken has a text for each kind. The texts are filled with two vertices and two distances.
var broken = [...]string{
	rootAdopted:   "rule 1: the root %[1]d has parent %[2]d, not itself",
	rootNotAtZero: "rule 2: the root %[1]d is at distance %[3]v, not 0",
	noDistance:    "rule 2: vertex %[1]d is at distance %[3]v",
	distanceAlone: "rule 1: vertex %[1]d is reached at distance %[3]v but has no parent",
	parentAlone:   "rule 1: vertex %[1]d has parent %[2]d but no distance",
	headUnreached: "rule 3: arc %[1]d -> %[2]d leads to distance %[3]v, and the vertex is not reached",
	tooFar:        "rule 3: arc %[1]d -> %[2]d leads to distance %[3]v, and the vertex is at %[4]v",
	notHanging:    "rules 1, 2: vertex %[1]d at distance %[3]v with parent %[2]d: no arcs lead from the root along parents to it in that distance",
}

func breach(b *distgraph.Breaches, k kind, v, w uint64, distV, distW float64) {
	b.Add(distgraph.Breach{Kind: uint64(k), V: v, W: w, A: math.Float64bits(distV), B: math.Float64bits(distW)})
}

func describe(b distgraph.Breach) string {
	return fmt.Sprintf(broken[b.Kind], b.V, b.W, math.Float64frombits(b.A), math.Float64frombits(b.B))
}
