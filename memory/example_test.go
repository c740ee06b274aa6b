package memory_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// A histogram: every rank adds to bins on all ranks, and reads all of them in one call.
func ExampleArray() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s := memory.New(r)
		bins := memory.NewArray[uint64](s, "bins", distribution.Block(5, r.Size()))
		if err := r.Epoch(func() error {
			for i := range uint64(100) {
				memory.AddStart(bins, i*i%5, 1)
			}
			return nil
		}); err != nil {
			return err
		}
		return r.Epoch(func() error {
			all := make([]uint64, bins.Len())
			bins.GetRange(0, all)
			if r.ID() == 0 {
				fmt.Println(all)
			}
			return nil
		})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [60 120 0 0 120]
}

// One rank allocates an object, and every rank with its reference can access it.
func ExampleAlloc() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s := memory.New(r)
		own, ref := memory.Alloc[int](s, 2)
		own[1] = 10 * r.ID()
		all, err := pebble.AllGather(r, ref)
		if err != nil {
			return err
		}
		if err := r.Epoch(func() error {
			next := (r.ID() + 1) % r.Size()
			memory.Put(s, all[next], memory.Get(s, all[next].Plus(1))+1)
			return nil
		}); err != nil {
			return err
		}
		if r.ID() == 2 {
			fmt.Println(own)
		}
		return r.Epoch(func() error { memory.Free(s, ref); return nil })
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [21 20]
}
