package treadmarks_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/treadmarks"
	"github.com/activepebbles/pebbles/pebble"
)

// 3 ranks relax a grid, with copies of all pages, as if they were far from each other.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		result, err := treadmarks.Run(r, treadmarks.Jacobi, treadmarks.Config{Size: 100, Rounds: 10, Copies: true, Seed: 1})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Size, result.Barriers, result.PagesFetched > 0, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 100 30 true 0
	// <nil>
}
