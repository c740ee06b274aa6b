package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

const (
	people  = 1 << 16
	friends = 8
	rounds  = 60
)

func main() {
	ranks, _ := strconv.Atoi(os.Getenv("PEBBLES_RANKS")) // 0 stands for one for each core
	config := pebble.Config{Ranks: ranks, Tuning: &pebble.Tuning{Topology: true, Coalesce: true}}
	pebble.Main(config, func(r *pebble.Rank) error {
		heard, err := run(r, rounds)
		if err != nil {
			return err
		}
		total, err := pebble.AllReduce(r, sum(heard), func(a, b uint64) uint64 { return a + b })
		if tuned, ok := r.Tuned(); ok && err == nil {
			fmt.Printf("rumours were heard %d times in %d rounds\n", total, rounds)
			fmt.Println(tuned.Reason)
		}
		return err
	})
}

// run makes all people tell their friends, in each round, and returns the number of rumours that each person of this
// rank received.
func run(r *pebble.Rank, rounds int) ([]uint64, error) {
	owner := distribution.Block(people, r.Size())
	heard := make([]uint64, owner.LocalLen(r.ID()))
	tell := target.New(r, "tell", owner, target.Key(func(person uint64) uint64 { return person }),
		target.Batch(func(persons []uint64) {
			for _, person := range persons {
				heard[owner.Local(person)]++
			}
		}))
	for round := range rounds {
		err := r.Epoch(func() error {
			for i := range heard {
				tell.SendAll(friendsOf(owner.Key(r.ID(), i), round))
			}
			return nil
		}, pebble.Depth(1))
		if err != nil {
			return nil, err
		}
	}
	return heard, nil
}

// friendsOf returns the friends that a person tells in a round.
func friendsOf(person uint64, round int) []uint64 {
	all := make([]uint64, friends)
	for i := range all {
		x := person*friends + uint64(i) + uint64(round)<<40
		x = (x ^ x>>31) * 0x9e3779b97f4a7c15
		all[i] = (x ^ x>>29) % people
	}
	return all
}

func sum(counts []uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}
