package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// TestHistogram compares with one table that one goroutine fills.
func TestHistogram(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 8} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			parts := make([][]uint32, ranks)
			require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) (err error) {
				parts[r.ID()], err = run(r, 7)
				return err
			}))
			want := make([]uint32, 1<<bits)
			for rank := range ranks {
				random := rand.New(rand.NewPCG(7, uint64(rank)))
				for range numbers {
					want[random.Uint64()&(1<<bits-1)]++
				}
			}
			var got []uint32
			for _, p := range parts {
				got = append(got, p...)
			}
			require.Equal(t, want, got)
		})
	}
}
