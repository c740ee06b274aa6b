package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Nothing is counted twice or lost, and all ranks have the same histogram.
func TestTally(t *testing.T) {
	for _, s := range []appstest.Shape{
		{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
		{Ranks: 3, Procs: 1, Transport: "mem", New: route.Hypercube},
		{Ranks: 4, Procs: 2, Transport: "tcp", New: route.Direct},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				counts, err := run(r)
				if err != nil {
					return err
				}
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
}
