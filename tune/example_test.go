package tune_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/tune"
)

// The settings that suit most jobs of 16 ranks.
func ExampleSpaceFor() {
	space := tune.SpaceFor(16, 8, false)
	fmt.Println(space.Topologies)
	fmt.Println(space.Coalesce)
	// Output:
	// [direct hypercube mesh:2]
	// [16 32 64 128 256 512 1024 2048 4096 8192 16384]
}
