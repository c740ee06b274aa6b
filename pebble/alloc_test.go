package pebble_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
)

// An epoch and a barrier allocate nothing, however long ranks wait, except in builds that check goroutines.
func TestEpochsAllocateNothing(t *testing.T) {
	job := func(rounds int) float64 {
		return testing.AllocsPerRun(1, func() {
			job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				nothing, named := func() error { return nil }, pebble.Named("nothing")
				for range rounds {
					appstest.OK(r.Epoch(nothing, pebble.Depth(1), named))
					appstest.OK(r.Barrier())
				}
				return nil
			})
		})
	}
	most := 0.1
	if engine.Checked {
		most = 2.1 // each of both looks up the goroutine of its call
	}
	few, many := job(100), job(5100)
	require.Less(t, (many-few)/5000/3, most, "allocations a rank for an epoch and a barrier")
}
