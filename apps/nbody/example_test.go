package nbody_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/nbody"
	"github.com/activepebbles/pebbles/apps/nbody/initial"
	"github.com/activepebbles/pebbles/pebble"
)

// Four ranks simulate a collision of two small galaxies.
func ExampleRun() {
	galaxies, err := initial.Collision(initial.Config{Particles: 1000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	config := nbody.Config{Source: galaxies, Steps: 10, Step: 0.1, Rungs: 3}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		result, err := nbody.Run(r, config)
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Particles, result.Steps, result.Twin, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 1000 10 true 0
	// <nil>
}
