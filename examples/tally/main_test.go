package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Nothing is counted twice or lost, and all ranks have the same histogram.
func TestTally(t *testing.T) {
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			counts := appstest.Must(run(r))
			sum := uint64(0)
			for _, n := range counts {
				sum += n
			}
			require.EqualValues(t, throw*r.Size(), sum)
			require.Greater(t, counts[6], counts[0], "sums in the middle are more often thrown")
			require.Zero(t, counts[13], "no sum is above 12")
			lists, err := pebble.AllGatherSlice(r, counts)
			for _, other := range lists {
				require.Equal(t, counts, other)
			}
			return err
		}))
	})
}
