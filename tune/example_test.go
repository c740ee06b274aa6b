package tune_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/tune"
)

// The settings that suit most jobs of 16 ranks.
func ExampleSite_Space() {
	site := tune.Site{
		Ranks: 16, Start: tune.Setting{Topology: "direct", Coalesce: 1024}, Topology: true, Coalesce: true,
		PebbleBytes: 8, Room: 1 << 30,
	}
	fmt.Println(site.Space().Topologies)
	fmt.Println(site.Space().Coalesce)
	// Output:
	// [direct hypercube mesh:2]
	// [16 32 64 128 256 512 1024 2048 4096 8192 16384]
}
