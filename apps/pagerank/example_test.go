package pagerank_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/pebble"
)

// The ranks of vertices of a generated graph, on three ranks.
func ExampleRun() {
	generator, err := graph.ErdosRenyi(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		res, err := pagerank.Run(r, pagerank.Config{Source: distgraph.Source{Generator: generator}})
		if err == nil && r.ID() == 0 {
			fmt.Printf("converged: %v, vertex %d comes first, %d errors\n", res.Converged, res.Top[0].ID, res.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: converged: true, vertex 707 comes first, 0 errors
}
