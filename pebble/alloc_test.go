package pebble_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// An epoch and a barrier together cost at most four small allocations a rank, however long ranks wait for each other.
func TestEpochsAllocateLittle(t *testing.T) {
	job := func(rounds int) float64 {
		return testing.AllocsPerRun(1, func() {
			require.NoError(t, run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				nothing := func() error { return nil }
				for range rounds {
					if err := r.Epoch(nothing); err != nil {
						return err
					}
					if err := r.Barrier(); err != nil {
						return err
					}
				}
				return nil
			}))
		})
	}
	few, many := job(100), job(5100)
	require.Less(t, (many-few)/5000/3, 4.0, "allocations a rank for an epoch and a barrier")
}
