package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

const (
	words  = 1 << 16
	chases = 1000 // of each rank
	steps  = 40
)

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		sum, err := run(r)
		if err == nil {
			fmt.Printf("rank %d of %d: the sum of the ends is %d\n", r.ID(), r.Size(), sum)
		}
		return err
	})
}

// next returns the table's entry for a word: the next word of a chase.
func next(word uint64) uint64 { return (word*2654435761 + 1) % words }

// run chases from as many words as each rank has chases, and returns the sum of the last words of this rank's chases.
func run(r *pebble.Rank) (sum uint64, err error) {
	owner := distribution.Block(words, r.Size())
	table := make([]uint64, owner.LocalLen(r.ID()))
	for i := range table {
		table[i] = next(owner.Key(r.ID(), i))
	}
	s := task.New(r)
	read := delegate.New(s, "read", owner, func(word uint64) uint64 { return word },
		func(word uint64) uint64 { return table[owner.Local(word)] })
	err = s.Run(func() {
		for i := range uint64(chases) {
			s.Go(func() {
				at := i*uint64(r.Size()) + uint64(r.ID())
				for range steps {
					at = read.Call(at) // waits, and lets others run
				}
				sum += at
			})
		}
	})
	return sum, err
}
