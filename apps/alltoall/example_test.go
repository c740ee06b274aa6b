package alltoall_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/alltoall"
	"github.com/activepebbles/pebbles/pebble"
)

// Each of 4 ranks sends 10 items to each other; every byte is verified.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4, Coalesce: 64}, func(r *pebble.Rank) error {
		result, err := alltoall.Run(r, alltoall.Config{Rounds: 10})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Ranks, result.Counters.PebblesHandled, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 4 120 0
	// <nil>
}
