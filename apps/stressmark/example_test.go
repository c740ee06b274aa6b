package stressmark_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/stressmark"
	"github.com/activepebbles/pebbles/pebble"
)

// Each of 4 ranks follows its own chain of pointers through one array.
func ExamplePointer() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		result, err := stressmark.Pointer(r, stressmark.PointerConfig{Words: 1000, Hops: 50, Stop: 1, Seed: 1})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Hops, result.Ended, result.Remote, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 200 0 0 0
	// <nil>
}
