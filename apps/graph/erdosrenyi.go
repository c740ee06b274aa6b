package graph

import "fmt"

const erdosRenyiEdges = 3 // purpose of the random stream

type erdosRenyi struct {
	size
	words stream
}

// ErdosRenyi returns a directed graph of 2^scale vertices and edgeFactor·2^scale arcs, both ends of each drawn
// uniformly and independently (the G(n,m) model with repetition). An arc costs two random words.
func ErdosRenyi(scale, edgeFactor int, seed uint64) (Generator, error) {
	s, err := newSize("Erdős-Rényi", scale, edgeFactor, seed)
	if err != nil {
		return nil, err
	}
	return &erdosRenyi{s, newStream(seed, erdosRenyiEdges)}, nil
}

// Fill implements Generator.
func (g *erdosRenyi) Fill(first uint64, edges []Edge) {
	g.check(first, edges)
	drop := 64 - g.scale
	for i := range edges {
		position := 2 * (first + uint64(i))
		edges[i] = Edge{g.words.at(position) >> drop, g.words.at(position+1) >> drop}
	}
}

// Directed implements Generator.
func (g *erdosRenyi) Directed() bool { return true }

// Describe implements Generator.
func (g *erdosRenyi) Describe() string {
	return fmt.Sprintf("Erdős-Rényi scale %d, edge factor %d, seed %d", g.scale, g.edgeFactor, g.seed)
}
