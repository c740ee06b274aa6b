package main

import (
	"context"
	"os"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// simulate runs a program in a simulated world, with the flags' configuration, on two ranks unless -ranks says more.
func simulate(options *pebble.Options, name string, program func(*pebble.Rank) error) error {
	config, err := options.Config(os.Stdout)
	if err != nil {
		return err
	}
	network, err := sim.Load(name)
	if err != nil {
		return err
	}
	world, err := sim.New(sim.Config{Ranks: max(2, config.Ranks), Network: network, Seed: options.Seed})
	if err != nil {
		return err
	}
	return world.Each(func(t netio.Transport) error {
		process := config
		process.Transport, process.Ranks = t, 0
		return pebble.Run(context.Background(), process, program)
	})
}
