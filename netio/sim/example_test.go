package sim_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// A barrier of 64 ranks takes the same virtual time on every machine.
func Example() {
	world, err := sim.New(sim.Config{Ranks: 64, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = world.Each(func(t netio.Transport) error {
		return pebble.Run(context.Background(), pebble.Config{Transport: t}, func(r *pebble.Rank) error {
			err := r.Barrier()
			if r.ID() == 0 {
				fmt.Println(r.Now())
			}
			return err
		})
	})
	fmt.Println(err)
	// Output:
	// 15.338µs
	// <nil>
}
