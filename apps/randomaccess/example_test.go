package randomaccess_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/randomaccess"
	"github.com/activepebbles/pebbles/pebble"
)

// 4 ranks make 256 random updates of a table of 64 words; every word is verified.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4, Coalesce: 64}, func(r *pebble.Rank) error {
		result, err := randomaccess.Run(r, randomaccess.Config{Log2Words: 4})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Ranks, result.Counters.PebblesHandled, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 4 256 0
	// <nil>
}
