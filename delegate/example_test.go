package delegate_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Tasks of all ranks draw tickets from one counter.
func ExampleDelegate() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		s, tickets := task.New(r), 0
		draw := delegate.New(s, "draw", distribution.Cyclic(1, r.Size()), func(struct{}) uint64 { return 0 },
			func(struct{}) int { tickets++; return tickets })
		last := 0
		if err := s.Run(func() {
			for range 10 {
				s.Go(func() { last = max(last, draw.Call(struct{}{})) })
			}
		}); err != nil {
			return err
		}
		last, err := pebble.AllReduce(r, last, func(a, b int) int { return max(a, b) })
		if r.ID() == 0 {
			fmt.Println(last)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 40
	// <nil>
}
