package task_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// A task waits at a gate until another one opens it.
func ExampleScheduler() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		s := task.New(r)
		gate := s.NewGate()
		return s.Run(func() {
			s.Go(func() {
				gate.Wait()
				fmt.Println("goes on")
			})
			s.Go(func() {
				fmt.Println("opens")
				gate.Open()
			})
		})
	})
	fmt.Println(err)
	// Output:
	// opens
	// goes on
	// <nil>
}

// Ranks without other work count the nodes of a tree.
func ExampleKind() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s, nodes := task.New(r), 0
		var visit *task.Kind[uint32]
		visit = task.NewKind(s, "visit", func(height uint32) {
			for nodes++; height > 0; height-- {
				visit.Spawn(height - 1)
			}
		})
		if err := s.Run(func() {
			if r.ID() == 0 {
				visit.Spawn(10)
			}
		}); err != nil {
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
