package distgraph

import "unsafe"

// Breaches are where a result breaks a rule, as found by one rank.
type Breaches struct {
	Count uint64
	First []Breach // the first few
}

// Breach is where a result breaks a rule: which, at two vertices, and by what numbers. It is plain data, and travels to
// rank 0, which knows the ids.
type Breach struct {
	Kind uint64 // the kernel's
	V, W uint64 // indices, ids when described
	A, B uint64
}

const (
	breachesKept  = 3 // that a rank describes
	breachNumbers = int(unsafe.Sizeof(Breach{}) / 8)
)

// Add notes a breach.
func (b *Breaches) Add(x Breach) {
	b.Count++
	if len(b.First) < breachesKept {
		b.First = append(b.First, x)
	}
}

// Describe returns, on rank 0, words for the first breaches of each rank, with ids; nil on the others. All ranks call
// it, each with what it found.
func (g *Graph) Describe(b Breaches, words func(b Breach) string) ([]string, error) {
	var own []uint64
	for _, x := range b.First {
		own = append(own, x.Kind, x.V, x.W, x.A, x.B)
	}
	gathered, err := g.Rank.AllGatherBytes(packNumbers(nil, own))
	if err != nil {
		return nil, err
	}
	var all []Breach
	var indices []uint64
	for _, packed := range gathered {
		for n := unpackNumbers(packed); len(n) > 0; n = n[breachNumbers:] {
			all = append(all, Breach{n[0], n[1], n[2], n[3], n[4]})
			indices = append(indices, n[1], n[2])
		}
	}
	numbers, err := g.NumbersOf(indices)
	if err != nil || g.Rank.ID() != 0 {
		return nil, err
	}
	var texts []string
	for i, x := range all {
		x.V, x.W = g.idOf(numbers[2*i]), g.idOf(numbers[2*i+1])
		texts = append(texts, words(x))
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
