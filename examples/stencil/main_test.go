package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Heat spreads as in a serial program, and none is lost.
func TestStencil(t *testing.T) {
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		column := make([]float64, rows*s.Ranks) // all columns are alike, except for the start of the heat
		column[0] = 1
		for range steps {
			next := make([]float64, len(column))
			for i, v := range column {
				next[i] = v/2 + (column[max(i, 1)-1]+column[min(i+1, len(column)-1)])/4
			}
			column = next
		}
		got := make([]float64, s.Ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			got[r.ID()], err = run(r)
			return err
		}))
		total := 0.0
		for rank, heat := range got {
			want := 0.0
			for _, v := range column[rank*rows : (rank+1)*rows] {
				want += v
			}
			require.InDelta(t, want, heat, 1e-12)
			total += heat
		}
		require.InDelta(t, 1, total, 1e-12)
	})
}
