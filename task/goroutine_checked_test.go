//go:build race || pebbles_check

package task_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// A task's calls count as its rank's after each switch, and those of goroutines that it starts do not.
func TestTasksAreNotOtherGoroutines(t *testing.T) {
	for call, f := range map[string]func(s *task.Scheduler, hear *target.Target[uint64]){
		"Counters was called": func(s *task.Scheduler, _ *target.Target[uint64]) { s.Rank().Counters() },
		"a pebble was sent":   func(_ *task.Scheduler, hear *target.Target[uint64]) { hear.Send(0) },
		"Yield":               func(s *task.Scheduler, _ *target.Target[uint64]) { s.Yield() },
		"Go was called":       func(s *task.Scheduler, _ *target.Target[uint64]) { s.Go(func() {}) },
		"Gate.Open":           func(s *task.Scheduler, _ *target.Target[uint64]) { s.NewGate().Open() },
	} {
		for _, elsewhere := range []bool{false, true} {
			err := run(t, pebble.Config{Ranks: 2}, rooted(func(s *task.Scheduler) func() {
				hear := numbers(s.Rank(), "hear", func(uint64) {})
				return func() {
					for range 3 {
						s.Go(func() {
							s.Yield()
							if !elsewhere {
								f(s, hear)
								return
							}
							var other sync.WaitGroup
							other.Go(func() { f(s, hear) })
							other.Wait()
						})
					}
				}
			}))
			if !elsewhere {
				require.NoError(t, err, call)
				continue
			}
			var told *pebble.PanicError
			require.ErrorAs(t, err, &told)
			require.ErrorContains(t, err, call+" from another goroutine")
		}
	}
}
