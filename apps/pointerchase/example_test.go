package pointerchase_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/pointerchase"
	"github.com/activepebbles/pebbles/pebble"
)

// A message goes around a random ring of 4 ranks 3 times.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4, Coalesce: 64}, func(r *pebble.Rank) error {
		result, err := pointerchase.Run(r, pointerchase.Config{Rounds: 3, Seed: 1})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Ranks, result.Counters.PebblesHandled, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 4 12 0
	// <nil>
}
