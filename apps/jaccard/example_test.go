package jaccard_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/jaccard"
	"github.com/activepebbles/pebbles/pebble"
)

// The similarities of a generated graph, on three ranks.
func ExampleRun() {
	generator, err := graph.Kronecker(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		res, err := jaccard.Run(r, jaccard.Config{Source: distgraph.Source{Generator: generator}})
		if err == nil && r.ID() == 0 {
			fmt.Printf("%d pairs, %.4f in the mean, %d errors\n", res.Pairs, res.Mean, res.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 6006 pairs, 0.0873 in the mean, 0 errors
}
