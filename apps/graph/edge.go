package graph

import "io"

// Edge joins two vertices by their dense indices. In a directed graph it is an arc From -> To; in an undirected one the
// order of its ends means nothing, and each edge is delivered once.
type Edge struct{ From, To uint64 }

// edgesPerRead is the batch in which ReadAll asks for edges.
const edgesPerRead = 1 << 14

// ReadAll returns every edge of f, up to its end, in memory (16 bytes an edge). The slice belongs to the caller.
func ReadAll(f *File) ([]Edge, error) {
	var all []Edge
	batch := make([]Edge, edgesPerRead)
	for {
		n, err := f.Edges(batch)
		all = append(all, batch[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
