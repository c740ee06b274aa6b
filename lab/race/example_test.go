package race_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab/race"
	"github.com/activepebbles/pebbles/tune"
)

// A race of coalescing factors by whole runs. Here a formula says how long a run takes.
func ExampleRace() {
	runs, err := race.New(tune.Config{
		Start: tune.Setting{Topology: "direct", Coalesce: 16},
		Space: tune.Space{Coalesce: []int{16, 64, 256, 1024}},
	}, 32)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		s, more := runs.Next()
		if !more {
			break
		}
		runs.Saw(1 + 10/float64(s.Coalesce))
	}
	fmt.Println(runs.Setting())
	// Output:
	// direct topology, 1024 pebbles a buffer, no cache
}
