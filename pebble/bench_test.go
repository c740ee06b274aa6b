package pebble_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/termination"
)

// BenchmarkEmptyEpoch measures an epoch without pebbles, under each detector.
func BenchmarkEmptyEpoch(b *testing.B) {
	for _, detector := range termination.Names() {
		maker, err := termination.ByName(detector)
		require.NoError(b, err)
		for _, ranks := range []int{2, 4, 8} {
			b.Run(fmt.Sprintf("%s/ranks=%d", detector, ranks), func(b *testing.B) {
				c := pebble.Config{Ranks: ranks, Termination: maker}
				job(b, c, func(r *pebble.Rank) error {
					for range b.N {
						appstest.OK(r.Epoch(func() error { return nil }, pebble.Depth(1)))
					}
					return nil
				})
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/epoch")
			})
		}
	}
}
