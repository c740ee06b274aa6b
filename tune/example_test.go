package tune_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/tune"
)

// A race of coalescing factors by whole runs. Here a formula says how long a run takes.
func ExampleRace() {
	race, err := tune.NewRace(tune.Config{
		Start: tune.Setting{Topology: "direct", Coalesce: 16},
		Space: tune.Space{Coalesce: []int{16, 64, 256, 1024}},
	}, 12)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		s, more := race.Next()
		if !more {
			break
		}
		race.Saw(1 + 10/float64(s.Coalesce))
	}
	fmt.Println(race.Setting())
	// Output:
	// direct topology, 1024 pebbles a buffer, no cache
}

// The settings that suit most jobs of 16 ranks.
func ExampleSpaceFor() {
	space := tune.SpaceFor(16, 8, false)
	fmt.Println(space.Topologies)
	fmt.Println(space.Coalesce)
	// Output:
	// [direct hypercube mesh:2]
	// [16 32 64 128 256 512 1024 2048 4096 8192 16384]
}
