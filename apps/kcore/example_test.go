package kcore_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/kcore"
	"github.com/activepebbles/pebbles/pebble"
)

// The cores of a generated graph, on three ranks.
func ExampleRun() {
	generator, err := graph.Kronecker(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		res, err := kcore.Run(r, kcore.Config{Source: distgraph.Source{Generator: generator}})
		if err == nil && r.ID() == 0 {
			fmt.Printf("largest core %d, of %d vertices, %d errors\n", res.Largest, res.InLargest, res.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: largest core 26, of 55 vertices, 0 errors
}
