package triangles_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/triangles"
	"github.com/activepebbles/pebbles/pebble"
)

// The triangles of a generated graph, on three ranks.
func ExampleRun() {
	generator, err := graph.Kronecker(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		res, err := triangles.Run(r, triangles.Config{Source: distgraph.Source{Generator: generator}})
		if err == nil && r.ID() == 0 {
			fmt.Printf("%d triangles, %d errors\n", res.Triangles, res.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 23586 triangles, 0 errors
}
