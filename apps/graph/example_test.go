package graph_test

import (
	"fmt"
	"path/filepath"

	"github.com/activepebbles/pebbles/apps/graph"
)

// Search a graph from a file, naming vertices as the file does.
func Example() {
	f, err := graph.Open(filepath.Join("testdata", "small.gr"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = f.Close() }()
	edges, err := graph.ReadAll(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	csr := graph.NewCSR(f.Vertices(), edges, f.Directed())
	root, _ := f.Index(3)
	dist, parent := graph.BFS(csr, root)
	fmt.Println(f.Format(), graph.Summarize(dist), graph.TraversedEdges(csr, dist), graph.Validate(csr, root, parent, dist))
	// Output: pace {3 1 2} 4 <nil>
}

// Two ranks make the two halves of a Graph500 graph, each without the other.
func ExampleKronecker() {
	g, err := graph.Kronecker(10, graph.EdgeFactorDefault, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	half := make([]graph.Edge, g.EdgeCount()/2)
	for rank := range uint64(2) {
		g.Fill(rank*g.EdgeCount()/2, half)
	}
	fmt.Println(g.Describe(), "of", g.Vertices(), "vertices and", g.EdgeCount(), "edges")
	// Output: Kronecker scale 10, edge factor 16, seed 1 of 1024 vertices and 16384 edges
}
