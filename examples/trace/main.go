package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

const ranks = 4

func main() {
	if err := follow(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// follow runs the job in a simulated world. Its processes print the frames with pebbles, and then the handlers' work.
func follow(out io.Writer) error {
	world, err := sim.New(sim.Config{Ranks: ranks, Seed: 1})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "time\twhat\tfrom\tto\ttarget\tepoch\tpebbles\tbytes")
	var handled bytes.Buffer // ranks run one at a time
	err = world.Each(func(t netio.Transport) error {
		config := pebble.Config{Transport: process{t.(*sim.Process), out}, Topology: route.Hypercube}
		return pebble.Run(context.Background(), config, func(r *pebble.Rank) error { return run(r, &handled) })
	})
	fmt.Fprint(out, handled.String())
	return err
}

// run makes rank 0 send three pebbles: one to its own key, and two to rank 3, which is two hops away.
func run(r *pebble.Rank, out io.Writer) error {
	keys := distribution.Block(ranks, ranks) // key k belongs to rank k
	visit := target.New(r, "visit", keys, target.Key(func(key uint64) uint64 { return key }),
		target.Each(func(key uint64) {
			fmt.Fprintf(out, "rank %d handles a pebble for key %d at %v\n", r.ID(), key, r.Now())
		}))
	return r.Epoch(func() error {
		if r.ID() == 0 {
			visit.SendAll([]uint64{3, 0, 3})
		}
		return nil
	}, pebble.Depth(1))
}
