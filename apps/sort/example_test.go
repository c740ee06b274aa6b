package sort_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/sort"
	"github.com/activepebbles/pebbles/pebble"
)

// Three ranks sort numbers.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		result, err := sort.Run(r, sort.Config{Numbers: 100_000, Seed: 1})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Count, result.Checksum, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 100000 b467a2adfd8a6d83 0
	// <nil>
}
