package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

const numbers, piece = 5000, 100 // all, and the number that a rank takes at once

// state is the shared state: the next number to take, and the sum so far.
type state struct{ Next, Sum uint64 }

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		sum, pieces, err := run(r)
		if err == nil {
			fmt.Printf("rank %d of %d took %d pieces; the sum of all divisors is %d\n", r.ID(), r.Size(), pieces, sum)
		}
		return err
	})
}

// run returns the sum of the divisors of all numbers, and the number of pieces that this rank has taken.
func run(r *pebble.Rank) (sum uint64, pieces int, err error) {
	s := pages.New(memory.New(r), pages.Config{})
	shared := pages.NewSlice[state](s, "state", distribution.BlockCyclic(1, r.Size(), 1))
	lock := pages.NewLock(s, "state", 0)
	for found := uint64(0); ; pieces++ {
		lock.Lock() // this rank now sees the writes of earlier holders
		at := &shared.Write(0, 1)[0]
		first := at.Next
		at.Next, at.Sum = min(first+piece, numbers), at.Sum+found
		lock.Unlock() // at is no longer valid
		if first == numbers {
			break
		}
		found = 0
		for n := first; n < min(first+piece, numbers); n++ {
			found += divisors(n + 1)
		}
	}
	if err := s.Barrier(); err != nil {
		return 0, 0, err
	}
	return shared.Read(0, 1)[0].Sum, pieces, nil
}

// divisors returns the sum of the divisors of a number.
func divisors(n uint64) (sum uint64) {
	for d := uint64(1); d <= n; d++ {
		if n%d == 0 {
			sum += d
		}
	}
	return sum
}
