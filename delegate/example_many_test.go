package delegate_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// A dictionary of both ranks: words are stored without an answer, looked up many at a time, or ahead of their use.
func ExampleNewBatch() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s, lengths := task.New(r), map[string]int{}
		owner := distribution.Hash(r.Size())
		store := delegate.New(s, "store", owner, distribution.HashString,
			func(word string) struct{} { lengths[word] = len(word); return struct{}{} },
			delegate.Coded[string, struct{}](pebble.Strings{}, nil))
		look := delegate.NewBatch(s, "look", owner, distribution.HashString, func(words []string, found []int) {
			for i, word := range words {
				found[i] = lengths[word]
			}
		}, delegate.Coded[string, int](pebble.Strings{}, nil))
		words := []string{"pebble", "hop", "rank"}
		if err := r.Epoch(func() error {
			for _, word := range words {
				store.Do(word)
			}
			return nil
		}); err != nil {
			return err
		}
		return s.Run(func() {
			if r.ID() > 0 {
				return
			}
			last, found := look.Start("rank"), make([]int, 3)
			look.CallAll(words, found)
			fmt.Println(found, last.Wait(), look.Call("unknown"))
		})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [6 3 4] 4 0
}
