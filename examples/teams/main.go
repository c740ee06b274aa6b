package main

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/pebble"
)

// results are what the two libraries find.
type results struct{ Primes, Length, Starts uint64 }

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		found, err := run(r, 200_000)
		if err == nil && r.ID() == 0 {
			fmt.Printf("%d primes; the most frequent length of a Collatz chain is %d, of %d starts\n", found.Primes,
				found.Length, found.Starts)
		}
		return err
	})
}

// run lets each library work on a team of half of the ranks, and brings together what they find.
func run(r *pebble.Rank, n uint64) (own results, err error) {
	if r.Size() < 2 {
		return own, errors.New("two libraries need two ranks: start more")
	}
	library := r.ID() % 2
	team, err := r.Split(library, 0, []string{"primes", "chains"}[library])
	if err != nil {
		return own, err
	}
	if library == 0 {
		own.Primes, err = primes(team.Rank, n)
	} else {
		own.Length, own.Starts, err = chains(team.Rank, n)
	}
	if err := errors.Join(err, team.Free()); err != nil {
		return own, err
	}
	return pebble.AllReduce(r, own, func(a, b results) results {
		return results{max(a.Primes, b.Primes), max(a.Length, b.Length), max(a.Starts, b.Starts)}
	})
}
