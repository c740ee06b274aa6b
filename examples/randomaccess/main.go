package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error { return run(r, make([]uint64, 1<<16)) })
}

// next returns the number after ran in the stream: ran times x, as a polynomial over GF(2).
func next(ran uint64) uint64 { return ran<<1 ^ uint64(int64(ran)>>63)&7 }

// run updates the words of all ranks' tables, which have equal lengths. The number of updates is 4 times that of words.
func run(r *pebble.Rank, table []uint64) error {
	words := distribution.Block(uint64(len(table)*r.Size()), r.Size())
	update := target.New(r, "update", words, target.Key(func(ran uint64) uint64 { return ran % words.Len() }),
		target.Each(func(ran uint64) { table[words.Local(ran%words.Len())] ^= ran }))
	ran := uint64(1)
	for range 4 * len(table) * r.ID() { // to this rank's part of the stream
		ran = next(ran)
	}
	err := r.Epoch(func() error {
		for range 4 * len(table) {
			ran = next(ran)
			update.Send(ran)
		}
		return nil
	})
	fmt.Printf("rank %d of %d applied %d updates\n", r.ID(), r.Size(), r.Counters().PebblesHandled)
	return err
}
