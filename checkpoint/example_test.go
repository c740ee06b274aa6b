package checkpoint_test

import (
	"context"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// Three ranks save squares after some steps, and two ranks continue from there.
func Example() {
	folder, err := os.MkdirTemp("", "squares")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	run := func(ranks, steps int) {
		config := pebble.Config{Ranks: ranks, Checkpoints: pebble.Checkpoints{Folder: folder}}
		fmt.Println(pebble.Run(context.Background(), config, func(r *pebble.Rank) error {
			step, d := 0, distribution.Block(6, r.Size())
			sums := make([]uint64, d.LocalLen(r.ID()))
			c := checkpoint.New(r, "squares", checkpoint.Value("step", &step), checkpoint.Slice("sums", d, &sums))
			restored, err := c.Restore()
			if err != nil {
				return err
			}
			for ; step < steps; step++ {
				for i := range sums {
					sums[i] += d.Key(r.ID(), i)
				}
			}
			all, err := pebble.GatherSlice(r, 0, sums)
			if r.ID() == 0 {
				fmt.Println(restored, step, all)
			}
			c.Request()
			if err == nil && c.Due() {
				err = c.Save()
			}
			return err
		}))
	}
	run(3, 10)
	run(2, 11)
	// Output:
	// false 10 [[0 10] [20 30] [40 50]]
	// <nil>
	// true 11 [[0 11 22] [33 44 55]]
	// <nil>
}
