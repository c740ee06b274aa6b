package main

import (
	"context"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// alone runs f as a job of one rank, and prints its error.
func alone(f func(r *pebble.Rank) error) {
	fmt.Println(pebble.Run(context.Background(), pebble.Config{Ranks: 1}, f))
}

func Example_noCodec() {
	alone(func(r *pebble.Rank) error {
		target.New(r, "words", distribution.Hash(r.Size()),
			target.Key(func(c count) uint64 { return distribution.HashString(c.Word) }),
			target.Each(func(count) {}))
		return nil
	})
	// Output:
	// rank 0: register target "words": type main.count is not plain data: main.count.Word is a string, which means nothing on another rank: add target.Coded(avro.Must[main.count]()), or another codec of it
}

func Example_keyOutside() {
	alone(func(r *pebble.Rank) error {
		cells := target.New(r, "cells", distribution.Block(100, r.Size()),
			target.Key(func(cell uint64) uint64 { return cell }),
			target.Each(func(uint64) {}))
		return r.Epoch(func() error {
			cells.Send(100)
			return nil
		})
	})
	// Output:
	// mistakes_test.go:34: rank 0: target "cells": a pebble was sent to key 100, which is outside the distribution block(n=100, ranks=1)
}

func Example_missingFile() {
	alone(func(r *pebble.Rank) error { return run(r, os.Stdout, []string{"nosuch.txt"}) })
	// Output:
	// rank 0: open text: open nosuch.txt: no such file or directory
}

func Example_outsideOfEpochs() {
	alone(func(r *pebble.Rank) error {
		cells := target.New(r, "cells", distribution.Block(100, r.Size()),
			target.Key(func(cell uint64) uint64 { return cell }),
			target.Each(func(uint64) {}))
		cells.Send(1)
		return nil
	})
	// Output:
	// mistakes_test.go:54: rank 0 panicked: pebble: rank 0: target "cells": a pebble was sent outside of an epoch: send inside the function given to Rank.Epoch
}

// Another launcher has started several processes of this program.
func Example_otherLauncher() {
	os.Setenv("PMI_SIZE", "2")
	defer os.Unsetenv("PMI_SIZE")
	fmt.Println(pebble.Run(context.Background(), pebble.Config{}, func(*pebble.Rank) error { return nil }))
	// Output:
	// pebble: run: another launcher has started this process as one of 2 (PMI_SIZE=2), each of which would run a job of its own: PMI_FD is missing, by which it would take part in one job: start it by mpiexec of MPICH or srun --mpi=pmi2, or set PEBBLES_ALONE=1 to run alone on purpose
}
