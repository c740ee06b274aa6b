package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

const (
	bins  = 16
	throw = 100_000 // numbers drawn by each rank
)

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		counts, err := run(r)
		if err == nil && r.ID() == 0 {
			fmt.Println(counts)
		}
		return err
	})
}

// run counts the sums of some dice, and returns the whole histogram.
func run(r *pebble.Rank) ([]uint64, error) {
	counts := memory.NewArray[uint64](memory.New(r), "counts", distribution.Block(bins, r.Size()))
	random := rand.New(rand.NewPCG(1, uint64(r.ID())))
	// The end of the epoch is a fence: after it, all additions are done, and visible to all.
	if err := r.Epoch(func() error {
		for range throw {
			dice := random.Uint64()
			memory.AddStart(counts, dice&3+dice>>2&3+dice>>4&3+dice>>6&3, 1)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	all := make([]uint64, bins)
	err := r.Epoch(func() error {
		counts.GetRange(0, all)
		return nil
	})
	return all, err
}
