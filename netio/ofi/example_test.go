package ofi_test

import (
	"context"
	"fmt"

	_ "github.com/activepebbles/pebbles/netio/ofi" // adds -transport ofi
	"github.com/activepebbles/pebbles/pebble"
)

// A program gets libfabric by importing this package, and selects it by -transport ofi and -provider, which
// pebble.Flags reads, or by Config.Via.
func Example() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error { return r.Barrier() })
	fmt.Println(err)
	// Output: <nil>
}
