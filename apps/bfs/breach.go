package bfs

import (
	"fmt"
	"unsafe"
)

// Breaches are where a result breaks a rule of Graph500, as found by one rank.
type Breaches struct {
	Count uint64
	first []breach // the first few
}

// breachesKept is how many breaches a rank describes.
const breachesKept = 3

func (b *Breaches) add(k kind, v, w, levelV, levelW uint64) {
	b.Count++
	if len(b.first) < breachesKept {
		b.first = append(b.first, breach{k, v, w, levelV, levelW})
	}
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

// breach is plain data: it travels to rank 0, which knows the ids.
type breach struct {
	kind           kind
	v, w           uint64 // indices, numbers when described
	levelV, levelW uint64
}

func (b breach) describe(id func(number uint64) uint64) string {
	what := broken[b.kind]
	return fmt.Sprintf("rule %d: %s", what.rule, fmt.Sprintf(what.text, id(b.v), id(b.w), b.levelV, b.levelW))
}

const breachNumbers = int(unsafe.Sizeof(breach{}) / 8)

// Describe returns, on rank 0, words for the first breaches of each rank, with ids; nil on the others. All ranks call it,
// each with what it found.
func (g *Graph) Describe(b Breaches) ([]string, error) {
	var own []uint64
	for _, x := range b.first {
		own = append(own, uint64(x.kind), x.v, x.w, x.levelV, x.levelW)
	}
	gathered, err := g.rank.AllGatherBytes(packNumbers(nil, own))
	if err != nil {
		return nil, err
	}
	var all []breach
	var indices []uint64
	for _, packed := range gathered {
		for n := unpackNumbers(packed); len(n) > 0; n = n[breachNumbers:] {
			all = append(all, breach{kind(n[0]), n[1], n[2], n[3], n[4]})
			indices = append(indices, n[1], n[2])
		}
	}
	numbers, err := g.numbers(indices)
	if err != nil || g.rank.ID() != 0 {
		return nil, err
	}
	var texts []string
	for i, x := range all {
		x.v, x.w = numbers[2*i], numbers[2*i+1]
		texts = append(texts, x.describe(g.idOf))
	}
	return texts, nil
}

// idOf is what rank 0 calls the vertex with this number; a number that no vertex has stands for itself.
func (g *Graph) idOf(number uint64) uint64 {
	if number >= g.Vertices {
		return number
	}
	return g.names.ID(number)
}
