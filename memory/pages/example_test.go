package pages_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

// Each rank adds its part of a sum to a word that a lock guards.
func Example() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		s := pages.New(memory.New(r), pages.Config{})
		sum := pages.NewSlice[int](s, "sum", distribution.Block(1, r.Size()))
		guard := pages.NewLock(s, "sum", 0)
		guard.Lock()
		sum.Write(0, 1)[0] += r.ID()
		guard.Unlock()
		if err := s.Barrier(); err != nil {
			return err
		}
		if r.ID() == 3 {
			fmt.Println(sum.Read(0, 1)[0])
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 6
	// <nil>
}
