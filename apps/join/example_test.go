package join_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/join"
	"github.com/activepebbles/pebbles/pebble"
)

// Three ranks join two tables.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		result, err := join.Run(r, join.Config{Left: 1000, Right: 300, Seed: 1})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Results, result.Checksum, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 1048 b858ee54204726ef 0
	// <nil>
}
