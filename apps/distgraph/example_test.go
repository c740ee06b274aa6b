package distgraph_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// A generated graph on two ranks; each owns half of the vertices.
func ExampleBuild() {
	generator, err := graph.ErdosRenyi(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, distgraph.Source{Generator: generator})
		if err == nil && r.ID() == 1 {
			fmt.Printf("%d vertices from %d on, of %d with %d arcs\n", g.Local, g.First, g.Vertices, g.Edges)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 512 vertices from 512 on, of 1024 with 8192 arcs
}
