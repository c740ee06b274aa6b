package epochs_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/epochs"
	"github.com/activepebbles/pebbles/pebble"
)

// In each of 5 epochs, each of 4 ranks sends 2 pebbles to the next.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4, Coalesce: 64}, func(r *pebble.Rank) error {
		result, err := epochs.Run(r, epochs.Config{Count: 5, Pebbles: 2})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Ranks, result.Counters.PebblesHandled, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 4 40 0
	// <nil>
}
