package main

import (
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// The flag -topology finds a topology that is registered, in programs with pebble.Flags.
func init() { route.Register("grid", square) }

func main() {
	pebble.Main(pebble.Config{Ranks: 9, Topology: square}, func(r *pebble.Rank) error { return run(r, os.Stdout) })
}

// run sends one pebble from each rank to each rank. Rank 0 prints.
func run(r *pebble.Rank, out io.Writer) error {
	ranks := uint64(r.Size())
	greet := target.New(r, "greet", distribution.Block(ranks, r.Size()),
		target.Key(func(to uint64) uint64 { return to }),
		target.Each(func(uint64) {}))
	err := r.Epoch(func() error {
		for to := range ranks {
			greet.Send(to)
		}
		return nil
	})
	if err != nil {
		return err
	}
	total, err := pebble.AllReduce(r, r.Counters(), pebble.Counters.Add)
	if err != nil || r.ID() != 0 {
		return err
	}
	_, err = fmt.Fprintf(out, "%d pebbles handled, %d passed through a hop\n", total.PebblesHandled, total.Forwarded)
	return err
}
