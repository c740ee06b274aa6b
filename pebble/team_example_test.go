package pebble_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Two teams, of the ranks with even and with odd numbers, each compute a sum at the same time.
func ExampleRank_Split() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 6}, func(r *pebble.Rank) error {
		team, err := r.Split(r.ID()%2, 0, []string{"even", "odd"}[r.ID()%2])
		if err != nil {
			return err
		}
		sum := 0
		add := target.New(team.Rank, "add", distribution.Ranks(team.Size()),
			target.Key(func(v int) uint64 { return uint64(v % team.Size()) }),
			target.Each(func(v int) { sum += v }))
		if err := team.Epoch(func() error { add.Send(r.ID()); return nil }); err != nil {
			return err
		}
		if sum, err = pebble.AllReduce(team.Rank, sum, pebble.Sum); err != nil {
			return err
		}
		sums, err := pebble.Gather(r, 0, sum)
		if r.ID() == 0 {
			fmt.Println(sums)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [6 9 6 9 6 9]
	// <nil>
}
