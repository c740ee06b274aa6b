package components_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/components"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// The components of a generated graph, on three ranks.
func ExampleRun() {
	generator, err := graph.ErdosRenyi(10, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		res, err := components.Run(r, components.Config{Source: distgraph.Source{Generator: generator}})
		if err == nil && r.ID() == 0 {
			fmt.Printf("%d components, the largest has %d vertices, %d errors\n", res.Components, res.Largest, res.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 175 components, the largest has 805 vertices, 0 errors
}
