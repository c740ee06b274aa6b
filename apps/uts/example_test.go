package uts_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/uts"
	"github.com/activepebbles/pebbles/pebble"
)

// Four ranks search a tree of the benchmark, cut at depth 7.
func ExampleRun() {
	tree, err := uts.TreeByName("T1")
	if err != nil {
		fmt.Println(err)
		return
	}
	tree.Depth = 7
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		result, err := uts.Run(r, uts.Config{Tree: tree})
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Nodes, result.Leaves, result.Depth, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 63914 51124 7 0
	// <nil>
}
