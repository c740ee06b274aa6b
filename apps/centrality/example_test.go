package centrality_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// Centralities in a generated graph, from two vertices, on three ranks.
func ExampleRun() {
	generator, err := graph.ErdosRenyi(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		res, err := centrality.Run(r, centrality.Config{Source: distgraph.Source{Generator: generator}, Sources: []uint64{0, 1}})
		if err == nil && r.ID() == 0 {
			fmt.Printf("%d sources, reached %d of %d, %d errors\n", len(res.Sources), res.Reached[0], res.Vertices, res.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 2 sources, reached 1024 of 1024, 0 errors
}
