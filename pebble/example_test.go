package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Three ranks each add one to every element of an array that is spread over them.
func ExampleRun() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		elements := distribution.Block(6, r.Size())
		counts := make([]int, 2) // this rank's part
		add := target.New(r, "add", elements, target.Key(func(key uint64) uint64 { return key }),
			target.Each(func(key uint64) { counts[elements.Local(key)]++ }))
		if err := r.Epoch(func() error {
			add.SendAll([]uint64{0, 1, 2, 3, 4, 5})
			return nil
		}); err != nil {
			return err
		}
		if r.ID() == 0 {
			fmt.Println(counts)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// [3 3]
	// <nil>
}

// Ranks that know a part each agree on the whole.
func ExampleAllReduce() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		sum, err := pebble.AllReduce(r, r.ID(), func(a, b int) int { return a + b })
		if r.ID() == 0 {
			fmt.Println(sum)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 6
	// <nil>
}

// The error of one rank ends the job, and is what Run returns.
func ExampleRun_failure() {
	broken := errors.New("disk is full")
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		if r.ID() == 1 {
			return broken
		}
		return r.Barrier()
	})
	fmt.Println(errors.Is(err, broken))
	// Output:
	// true
}

// A program that a scheduler may preempt: it saves its state when any of its processes is told, and ends well.
func ExampleRank_Preempted() {
	pebble.Main(pebble.Config{Grace: 25 * time.Second}, func(r *pebble.Rank) error {
		for range 1000 {
			err := r.Epoch(func() error {
				for range 1_000_000 {
					select {
					case <-r.Preempted():
						return nil // the epoch ends in order, with what was sent
					default:
						// send some pebbles
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			told := false
			select {
			case <-r.Preempted():
				told = true
			default:
			}
			any, err := pebble.AllReduce(r, told, func(a, b bool) bool { return a || b })
			if any || err != nil {
				return err // after saving this rank's part
			}
		}
		return nil
	})
}
