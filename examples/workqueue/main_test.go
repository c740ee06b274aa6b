package main

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each piece is taken once, and counted once.
func TestWorkQueue(t *testing.T) {
	want := uint64(0)
	for d := uint64(1); d <= numbers; d++ {
		want += numbers / d * d
	}
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		var taken atomic.Int64
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			sum, pieces, err := run(r)
			require.Equal(t, want, sum)
			taken.Add(int64(pieces))
			return err
		}))
		require.EqualValues(t, numbers/piece, taken.Load())
	})
}
