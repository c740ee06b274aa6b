package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestChases compares with a serial program that follows each chase to its end.
func TestChases(t *testing.T) {
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		want, got := make([]uint64, s.Ranks), make([]uint64, s.Ranks)
		for i := range uint64(chases * s.Ranks) {
			at := i
			for range steps {
				at = next(at)
			}
			want[i%uint64(s.Ranks)] += at
		}
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			got[r.ID()], err = run(r)
			return err
		}))
		require.Equal(t, want, got)
	})
}
