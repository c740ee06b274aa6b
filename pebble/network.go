package pebble

import (
	"cmp"
	"context"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
)

// network is a simulated network, by name or file; "" for none.
type network struct {
	name  string
	costs sim.Network
}

func (n *network) load(nameOrFile string) (err error) {
	n.name = nameOrFile
	n.costs, err = sim.Load(nameOrFile)
	return err
}

// run runs a job in a simulated world, with all processes in this one.
func (n *network) run(config Config, seed uint64, function func(*Rank) error) error {
	world, err := sim.New(sim.Config{Ranks: cmp.Or(config.Ranks, 2), Network: n.costs, Seed: seed})
	if err != nil {
		return err
	}
	return world.Each(func(t netio.Transport) error {
		process := config
		process.Transport, process.Ranks = t, 0
		return Run(context.Background(), process, function)
	})
}
