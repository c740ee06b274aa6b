package main

import (
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// chains finds the length that most Collatz chains from starts below n have. It is another library.
func chains(r *pebble.Rank, n uint64) (length, starts uint64, err error) {
	lengths := container.NewCounter[uint64](r, "lengths")
	err = r.Epoch(func() error {
		for start := 1 + uint64(r.ID()); start < n; start += uint64(r.Size()) {
			lengths.Add(collatz(start), 1)
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	top, err := lengths.Top(1)
	if r.ID() == 0 && len(top) > 0 {
		length, starts = top[0].Key, top[0].Value
	}
	return length, starts, err
}

// collatz is the number of steps from a start to 1.
func collatz(v uint64) (steps uint64) {
	for ; v > 1; steps++ {
		if v%2 == 0 {
			v /= 2
		} else {
			v = 3*v + 1
		}
	}
	return steps
}
