package pebble_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// The usual merges have names; any associative function of two values will do.
func ExampleSum() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		n := uint(r.ID() + 1)
		product, err := pebble.AllReduce(r, n, pebble.Product)
		if err != nil {
			return err
		}
		bits, err := pebble.AllReduce(r, n, pebble.Xor)
		if err != nil {
			return err
		}
		all, err := pebble.AllReduce(r, n > 0, pebble.LogicalAnd)
		if err != nil {
			return err
		}
		odd, err := pebble.AllReduce(r, n > 3, pebble.LogicalXor)
		if r.ID() == 0 {
			fmt.Println(product, bits, all, odd)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 24 4 true true
	// <nil>
}

// Values of any length meet on one rank.
func ExampleRank_GatherBytes() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		all, err := r.GatherBytes(0, []byte("pebble"[:2*r.ID()]))
		if r.ID() == 0 {
			fmt.Printf("%q\n", all)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// ["" "pe" "pebb"]
	// <nil>
}

// A job that exceeds its memory limit ends with an error that names the cause: pebbles of handlers, buffers of the main
// function (FromMain), or caches (FromCaches).
func ExampleLimitError() {
	const limit = 1 << 20
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2, MemoryLimit: limit}, func(r *pebble.Rank) error {
		var t *target.Target[uint64]
		t = target.New(r, "storm", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v % 2 }),
			target.Each(func(v uint64) { // each pebble causes two more
				t.Send(v + 1)
				t.Send(v + 2)
			}))
		return r.Epoch(func() error {
			t.Send(uint64(r.ID()))
			return nil
		})
	})
	var e *pebble.LimitError
	fmt.Println(errors.As(err, &e), e.Target, e.Cause == pebble.FromHandlers, e.Limit == limit)
	// Output: true storm true true
}
