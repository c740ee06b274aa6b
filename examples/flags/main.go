package main

import (
	"flag"
	"math/rand/v2"
	"os"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

func main() {
	options := pebble.Flags(flag.CommandLine)
	numbers := flag.Int("numbers", 1<<16, "numbers that each rank sends")
	flag.Parse()
	options.Main(os.Stdout, func(r *pebble.Rank) error { return run(r, options, *numbers) })
}

// run counts numbers, and prints their total and the cost.
func run(r *pebble.Rank, options *pebble.Options, numbers int) error {
	counted := 0
	count := target.New(r, "count", distribution.Hash(r.Size()), target.Key(func(n uint64) uint64 { return n }),
		target.Batch(func(ns []uint64) { counted += len(ns) }))
	random := rand.New(rand.NewPCG(options.Seed, uint64(r.ID())))
	report, err := pebble.Measure(r, func() error {
		return r.Epoch(func() error {
			for range numbers {
				count.Send(random.Uint64())
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	report.Result, err = pebble.AllReduce(r, counted, pebble.Sum)
	if err != nil || r.ID() != 0 {
		return err
	}
	return options.Print(os.Stdout, report)
}
