package permutation_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/permutation"
	"github.com/activepebbles/pebbles/pebble"
)

// 4 ranks permute an array of 64 elements; every element is verified.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4, Coalesce: 64}, func(r *pebble.Rank) error {
		result, err := permutation.Run(r, permutation.Config{Log2Elements: 4, Seed: 1})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Ranks, result.Counters.PebblesHandled, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 4 128 0
	// <nil>
}
