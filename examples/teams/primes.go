package main

import (
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// primes counts the primes below n. It is a library: it works on any ranks, and knows of no others.
func primes(r *pebble.Rank, n uint64) (uint64, error) {
	keys := distribution.Block(n, r.Size())
	composite, first := make([]bool, keys.LocalLen(r.ID())), keys.Key(r.ID(), 0)
	mark := target.New(r, "mark", keys, target.Key(func(k uint64) uint64 { return k }),
		target.Each(func(k uint64) { composite[k-first] = true }))
	err := r.Epoch(func() error {
		for p := 2 + uint64(r.ID()); p*p < n; p += uint64(r.Size()) {
			for k := p * p; k < n; k += p {
				mark.Send(k)
			}
		}
		return nil
	}, pebble.Depth(1))
	if err != nil {
		return 0, err
	}
	count := uint64(0)
	for i, is := range composite {
		if first+uint64(i) >= 2 && !is {
			count++
		}
	}
	return pebble.AllReduce(r, count, pebble.Sum)
}
