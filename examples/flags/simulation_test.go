package main

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

func simulate(program func(*pebble.Rank) error) error {
	world, err := sim.New(sim.Config{Ranks: 256, Network: sim.Machines["odin"], Seed: 1})
	if err != nil {
		return err
	}
	return world.Each(func(t netio.Transport) error {
		return pebble.Run(context.Background(), pebble.Config{Transport: t}, program)
	})
}

// A program runs in a simulated world without flags, too.
func Example_simulate() {
	fmt.Println(simulate(func(r *pebble.Rank) error {
		sum, err := pebble.AllReduce(r, r.ID(), pebble.Sum)
		if r.ID() == 0 {
			fmt.Println(sum)
		}
		return err
	}))
	// Output:
	// 32640
	// <nil>
}
