package task_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// onTwo runs a root task on rank 0 of two, and prints the sum of count over both ranks.
func onTwo(prepare func(s *task.Scheduler, count *int) (root func())) {
	if err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s, count := task.New(r, task.Workers(16)), 0
		root := prepare(s, &count)
		if r.ID() > 0 {
			root = nil
		}
		if err := s.Run(root); err != nil {
			return err
		}
		all, err := pebble.AllReduce(r, count, func(a, b int) int { return a + b })
		if r.ID() == 0 {
			fmt.Println(all)
		}
		return err
	}); err != nil {
		fmt.Println(err)
	}
}

// Idle ranks run the pieces of a loop.
func ExampleLoop() {
	onTwo(func(s *task.Scheduler, count *int) func() {
		loop := task.NewLoop(s, "count", 8, func(from, to uint64) { *count += int(to - from) })
		return func() { loop.Spawn(0, 100) }
	})
	// Output: 100
}

// A task waits for its tasks, and for tasks that these have spawned, on all ranks.
func ExampleGroup() {
	onTwo(func(s *task.Scheduler, count *int) func() {
		var visit *task.GroupKind[int]
		visit = task.NewGroupKind(s, "visit", func(g *task.Group, height int) {
			*count++
			if height > 0 {
				visit.Spawn(g, height-1)
				visit.SpawnOn(g, 1, height-1)
			}
		})
		return func() {
			g := s.NewGroup()
			g.Go(func() { *count++ })
			visit.SpawnAt(g, distribution.Cyclic(2, 2), 1, 3)
			g.Wait() // all of them have ended
		}
	})
	// Output: 16
}

// A task waits until another one has data for it.
func ExampleScheduler_Suspend() {
	onTwo(func(s *task.Scheduler, count *int) func() {
		return func() {
			waiter := s.Self()
			s.Go(func() {
				*count = 7
				s.Wake(waiter)
			})
			s.Suspend()
			*count *= 6
		}
	})
	// Output: 42
}

// A loop of one rank whose pieces wait, and tasks of a kind that go to the owners of keys, up to four at a time.
func ExampleKind_SpawnAt() {
	onTwo(func(s *task.Scheduler, count *int) func() {
		add := task.NewKindBatch(s, "add", 4, func(vs []uint64) { *count += len(vs) })
		return func() {
			s.For(0, 20, 5, func(from, to uint64) {
				for key := from; key < to; key++ {
					add.SpawnAt(distribution.Cyclic(20, 2), key, key)
				}
				s.Yield()
			})
		}
	})
	// Output: 20
}
