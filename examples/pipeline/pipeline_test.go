package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPipeline compares with a loop.
func TestPipeline(t *testing.T) {
	for _, s := range []appstest.Shape{appstest.Mem(3), appstest.Mem(7), {Ranks: 5, Procs: 2, Transport: "tcp"}} {
		t.Run(s.String(), func(t *testing.T) {
			var want total
			for b := range batches {
				for rank := 0; rank*stages/s.Ranks == 0; rank++ {
					for i := range size {
						v := uint64((b*s.Ranks+rank)*size + i)
						want.Count, want.Sum = want.Count+1, want.Sum+v*v
					}
				}
			}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				got, err := run(r)
				require.Equal(t, want, got)
				return err
			}))
		})
	}
	err := appstest.Mem(2).Run(t, func(r *pebble.Rank) error { _, err := run(r); return err })
	require.ErrorContains(t, err, "three stages need three ranks")
}
