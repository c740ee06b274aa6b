package access_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/access"
	"github.com/activepebbles/pebbles/pebble"
)

// 4 ranks read 1,000 random words each, of a table of 4,096 words.
func ExampleGather() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		result, err := access.Gather(r, access.GatherConfig{Log2Words: 10, Accesses: 1000, Seed: 1})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Accesses, result.Near, result.Remote, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 4000 4000 0 0
	// <nil>
}
