package task_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// TestSlowUnwindingIsAwaited fails a job whose tasks take longer to unwind than ranks have to return.
func TestSlowUnwindingIsAwaited(t *testing.T) {
	const tasks, each = 8, time.Second
	bubble.Test(t, func(t *testing.T) {
		unwound, began := 0, time.Now()
		err := pebble.Run(t.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			s := task.New(r)
			return s.Run(func() {
				for range tasks {
					s.Go(func() {
						defer func() {
							time.Sleep(each)
							unwound++
						}()
						s.Suspend()
					})
				}
			})
		})
		require.ErrorContains(t, err, "deadlock")
		require.NotContains(t, err.Error(), "did not return")
		require.Equal(t, tasks, unwound)
		require.GreaterOrEqual(t, time.Since(began), tasks*each)
	})
}
