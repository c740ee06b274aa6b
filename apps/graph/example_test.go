package graph_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/graph"
)

// A path of four vertices, searched from one end.
func Example() {
	csr := graph.NewCSR(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}, false)
	dist, parent := graph.BFS(csr, 0)
	fmt.Println(graph.Summarize(dist), graph.TraversedEdges(csr, dist), graph.Validate(csr, 0, parent, dist))
	// Output: {4 3 6} 3 <nil>
}

// Two ranks make the two halves of a Graph500 graph independently.
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
