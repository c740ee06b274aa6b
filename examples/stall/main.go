package main

import (
	"flag"
	"os"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

const keys = 1 << 20

func main() {
	cycle := flag.Bool("cycle", false, "the data of rank 2 has a cycle")
	options := pebble.Flags(flag.CommandLine)
	flag.Parse()
	options.Main(os.Stdout, func(r *pebble.Rank) error { return run(r, *cycle) })
}

// run makes every rank ask for the roots of some keys.
func run(r *pebble.Rank, cycle bool) error {
	owners := distribution.Cyclic(keys, r.Size())
	parents := make([]int, keys/r.Size()+1) // of the keys here, by local index
	for i := range parents {
		parents[i] = i / 2 // a tree with its root at 0
	}
	if cycle && r.ID() == 2 {
		parents[5] = 11 // and 11 leads to 5 again
	}
	roots := 0
	visit := target.New(r, "find-root", owners, target.Key(func(key uint64) uint64 { return key }),
		target.Each(func(key uint64) {
			at := owners.Local(key)
			for parents[at] != at {
				at = parents[at]
			}
			roots++
		}))

	r.Status("looking for roots")
	return r.Epoch(func() error {
		for key := uint64(r.ID()); key < keys; key += 4096 {
			visit.Send(key)
		}
		return nil
	}, pebble.Named("roots"))
}
