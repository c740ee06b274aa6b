package bfs

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
)

// breach notes where a result breaks a rule of Graph500.
func breach(b *distgraph.Breaches, k kind, v, w, levelV, levelW uint64) {
	b.Add(distgraph.Breach{Kind: uint64(k), V: v, W: w, A: levelV, B: levelW})
}

// kind says which rule is broken, and in which way.
type kind uint64

const (
	rootAdopted kind = iota
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

// broken has a rule and a text for each kind. The texts are filled with v, w and their levels.
var broken = [...]struct {
	rule int
	text string
}{
	rootAdopted:     {1, "the root %[1]d has parent %[2]d, not itself"},
	secondRoot:      {1, "vertex %[1]d is its own parent, but not the root"},
	parentNowhere:   {1, "the parent of vertex %[1]d is no vertex"},
	parentUnreached: {1, "vertex %[1]d has parent %[2]d, which is not reached"},
	rootNotAtZero:   {2, "the root %[1]d is at level %[3]d, not 0"},
	levelsOfTree:    {2, "vertex %[1]d at level %[3]d has parent %[2]d at level %[4]d, not one less"},
	headUnreached:   {3, "edge %[1]d -> %[2]d leads from level %[3]d to a vertex that is not reached"},
	levelsOfEdge:    {3, "edge %[1]d -> %[2]d leads from level %[3]d to level %[4]d, more than one below"},
	levelAlone:      {4, "vertex %[1]d is reached at level %[3]d but has no parent"},
	parentAlone:     {4, "vertex %[1]d has parent %[2]d but no level"},
	noSuchEdge:      {5, "vertex %[1]d has parent %[2]d, but the graph has no edge %[2]d -> %[1]d"},
}

func describe(b distgraph.Breach) string {
	what := broken[b.Kind]
	return fmt.Sprintf("rule %d: %s", what.rule, fmt.Sprintf(what.text, b.V, b.W, b.A, b.B))
}
