package kmers_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/kmers"
	"github.com/activepebbles/pebbles/pebble"
)

// Four ranks count the 31-mers of reads without errors, which cover a genome ten times.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		result, err := kmers.Run(r, kmers.Config{Bases: 10_000, Coverage: 10})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Kmers, result.Reads, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 70000 1000 0
	// <nil>
}
