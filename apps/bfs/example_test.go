package bfs_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// A search of a generated graph, from one vertex, on three ranks.
func ExampleRun() {
	generator, err := graph.ErdosRenyi(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		res, err := bfs.Run(r, bfs.Config{Source: distgraph.Source{Generator: generator}, Mode: bfs.Async,
			Roots: distgraph.IDs(0)})
		if err == nil && r.ID() == 0 {
			fmt.Printf("%s: reached %d of %d, depth %d, %d errors\n", res.Graph, res.Reached[0], res.Vertices, res.Depths[0],
				res.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: Erdős-Rényi scale 10, edge factor 8, seed 1: reached 1024 of 1024, depth 5, 0 errors
}
