package main

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each piece is taken once, and counted once.
func TestWorkQueue(t *testing.T) {
	want := uint64(0)
	for d := uint64(1); d <= numbers; d++ {
		want += numbers / d * d
	}
	for _, s := range []appstest.Shape{
		{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
		{Ranks: 3, Procs: 2, Transport: "shm", New: route.Direct},
		{Ranks: 4, Procs: 4, Transport: "tcp", New: route.Direct},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
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
}
