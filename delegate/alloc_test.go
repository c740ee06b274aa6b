//go:build !race && !pebbles_check

package delegate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Calls allocate nothing, on the own rank and on others.
func TestCallsAllocateNothing(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := task.New(r)
		link := links(r, s)
		return s.Run(func() {
			if r.ID() == 0 {
				all := []uint64{0, 1, 2, 3, 4}
				require.Zero(t, testing.AllocsPerRun(2000, func() {
					link.Call(0)
					link.Call(1)
					link.CallAll(all, all)
					link.Start(1).Wait()
				}))
			}
		})
	}))
}
