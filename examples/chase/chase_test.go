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

// TestChases compares with a serial program that follows each chase to its end.
func TestChases(t *testing.T) {
	for _, s := range []appstest.Shape{
		{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
		{Ranks: 3, Procs: 1, Transport: "mem", New: route.Hypercube},
		{Ranks: 4, Procs: 2, Transport: "tcp", New: route.Direct},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
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
}
