package main

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/pebble"
)

const (
	stages  = 3
	batches = 50
	size    = 1000 // numbers of a rank and batch
)

func main() {
	pebble.Main(pebble.Config{Ranks: 2 * stages}, func(r *pebble.Rank) error {
		sum, err := run(r)
		if err == nil && r.ID() == 0 {
			fmt.Printf("the squares of %d numbers add up to %d\n", sum.Count, sum.Sum)
		}
		return err
	})
}

// total is what comes out of the last stage.
type total struct{ Count, Sum uint64 }

// run makes numbers in the first stage, squares them in the second, and adds them up in the third.
func run(r *pebble.Rank) (out total, err error) {
	if r.Size() < stages {
		return out, errors.New("three stages need three ranks: start more")
	}
	stage := stageOf(r, r.ID())
	var got []uint64
	from, err := connect(r, 0, &got)
	to, err2 := connect(r, 1, &got)
	if err := errors.Join(err, err2); err != nil {
		return out, err
	}
	for b := range batches {
		switch stage {
		case 0:
			made := make([]uint64, size)
			for i := range made {
				made[i] = uint64((b*r.Size()+r.ID())*size + i)
			}
			err = from.hand(made)
		case 1:
			if err = from.hand(nil); err == nil {
				for i, v := range got {
					got[i] = v * v
				}
				err = to.hand(got)
			}
		case 2:
			err = to.hand(nil)
			for _, v := range got {
				out.Count, out.Sum = out.Count+1, out.Sum+v
			}
		}
		if err != nil {
			return out, err
		}
		got = got[:0]
	}
	return pebble.AllReduce(r, out, func(a, b total) total { return total{a.Count + b.Count, a.Sum + b.Sum} })
}

// stageOf is the stage of a rank of the job.
func stageOf(r *pebble.Rank, rank int) int { return rank * stages / r.Size() }
