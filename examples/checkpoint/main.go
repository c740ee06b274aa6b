package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

const cells = 1 << 12

type move struct{ Cell, Walkers uint64 }

func main() {
	options := pebble.Flags(flag.CommandLine)
	steps := flag.Int("steps", 1000, "steps of each walker")
	flag.Parse()
	options.Main(os.Stdout, func(r *pebble.Rank) error { return run(r, *steps) })
}

// run moves a quarter of each cell's walkers to either side, in each step.
func run(r *pebble.Rank, steps int) error {
	ring, step := distribution.Block(cells, r.Size()), 0
	here := make([]uint64, ring.LocalLen(r.ID()))
	if r.ID() == 0 {
		here[0] = 1 << 60
	}
	var next []uint64
	moves := target.New(r, "moves", ring, target.Key(func(m move) uint64 { return m.Cell }),
		target.Each(func(m move) { next[ring.Local(m.Cell)] += m.Walkers }))
	c := checkpoint.New(r, "walk", checkpoint.Argument("cells", cells), checkpoint.Value("step", &step),
		checkpoint.Slice("walkers", ring, &here))
	_, err := c.Restore()
	for ; step < steps && err == nil; step++ {
		if c.Due() {
			if err := c.Save(); err != nil {
				return err
			}
		}
		next = make([]uint64, len(here))
		err = r.Epoch(func() error {
			for i, n := range here {
				at := ring.Key(r.ID(), i)
				moves.SendAll([]move{{(at + 1) % cells, n / 4}, {(at + cells - 1) % cells, n / 4}, {at, n - n/4*2}})
			}
			return nil
		})
		here = next
	}
	if err == nil && r.ID() == 0 {
		fmt.Printf("after %d steps %d walkers are where they began\n", step, here[0])
	}
	return err
}
