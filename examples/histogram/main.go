package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

const (
	bits    = 20 // of a number that select its counter
	numbers = 1 << 19
	batch   = 1024
)

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		counters, err := run(r, 1)
		if err == nil {
			fmt.Printf("rank %d of %d has counted %d numbers\n", r.ID(), r.Size(), sum(counters))
		}
		return err
	})
}

// run counts numbers from each rank, and returns this rank's counters.
func run(r *pebble.Rank, seed uint64) ([]uint32, error) {
	keys := distribution.Block(1<<bits, r.Size())
	counters := pebble.HugePages[uint32](keys.LocalLen(r.ID()))
	first := keys.Key(r.ID(), 0)
	count := target.New(r, "count", keys, target.LowBits[uint64](bits),
		target.Batch(func(numbers []uint64) {
			pebble.PrefetchEach(counters, numbers, func(numbers []uint64) {
				for _, n := range numbers {
					counters[n&(1<<bits-1)-first]++
				}
			})
		}))
	random := rand.New(rand.NewPCG(seed, uint64(r.ID())))
	numbered := make([]uint64, batch)
	return counters, r.Epoch(func() error {
		for range numbers / batch {
			for i := range numbered {
				numbered[i] = random.Uint64()
			}
			count.SendAll(numbered)
		}
		return nil
	})
}

func sum(counters []uint32) (n uint64) {
	for _, c := range counters {
		n += uint64(c)
	}
	return n
}
