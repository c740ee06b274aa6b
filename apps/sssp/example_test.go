package sssp_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/sssp"
	"github.com/activepebbles/pebbles/pebble"
)

// Shortest paths in a generated graph, whose arcs count 1 each, from one vertex, on three ranks.
func ExampleRun() {
	generator, err := graph.ErdosRenyi(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		source := distgraph.Source{Generator: generator, Weights: distgraph.Ones}
		res, err := sssp.Run(r, sssp.Config{Source: source, Roots: distgraph.IDs(0)})
		if err == nil && r.ID() == 0 {
			fmt.Printf("reached %d of %d, the farthest at %v, %d errors\n", res.Reached[0], res.Vertices, res.Farthest[0],
				res.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: reached 1024 of 1024, the farthest at 5, 0 errors
}
