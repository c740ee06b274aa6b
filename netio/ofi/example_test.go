package ofi_test

import (
	"context"
	"fmt"

	_ "github.com/activepebbles/pebbles/netio/ofi" // --transport ofi is there now
	"github.com/activepebbles/pebbles/pebble"
)

// A program has libfabric when it imports this package, and chooses it by -transport ofi and -provider, as pebble.Flags
// reads them, or by Config.Via.
func Example() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error { return r.Barrier() })
	fmt.Println(err)
	// Output: <nil>
}
