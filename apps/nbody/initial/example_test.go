package initial_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/apps/nbody/initial"
)

func ExampleKing() {
	system, err := initial.King(initial.Config{Particles: 1000, Seed: 1}, 6)
	if err != nil {
		fmt.Println(err)
		return
	}
	some := make([]gravity.Particle, 10)
	err = system.Read(500, some)
	fmt.Println(system.Name(), system.Particles(), some[0].Mass, err)
	// Output: King, W0 6 1000 0.001 <nil>
}
