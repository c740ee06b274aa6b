package main

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// All ranks visit a tree, and a task waits for the end of that, before the epoch has ended.
func Example_groups() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s, nodes := task.New(r), 0
		var visit *task.GroupKind[uint32]
		visit = task.NewGroupKind(s, "visit", func(g *task.Group, height uint32) {
			for nodes++; height > 0; height-- {
				visit.SpawnOn(g, int(height)%r.Size(), height-1)
			}
		})
		err := s.Run(func() {
			if r.ID() == 0 {
				g := s.NewGroup()
				visit.Spawn(g, 10)
				g.Wait() // until the whole tree has been visited, on all ranks
			}
		})
		if err != nil {
			return err
		}
		all, err := pebble.AllReduce(r, nodes, func(a, b int) int { return a + b })
		if r.ID() == 0 {
			fmt.Println(all)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 1024
	// <nil>
}
