package ping_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/ping"
	"github.com/activepebbles/pebbles/pebble"
)

// Two ranks send 1,000 messages of 64 bytes each to two others.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4, Coalesce: 64}, func(r *pebble.Rank) error {
		result, err := ping.Run(r, ping.Config{Bytes: 64, Messages: 1000})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Messages, result.Counters.PebblesHandled, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 2000 2000 0
	// <nil>
}
