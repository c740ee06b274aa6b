package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTeams compares with loops.
func TestTeams(t *testing.T) {
	const n = 3000
	var want results
	starts := map[uint64]uint64{}
	for v := uint64(1); v < n; v++ {
		prime := v > 1
		for d := uint64(2); d*d <= v; d++ {
			prime = prime && v%d > 0
		}
		if prime {
			want.Primes++
		}
		starts[collatz(v)]++
		want.Starts = max(want.Starts, starts[collatz(v)])
	}
	for _, s := range []appstest.Shape{appstest.Mem(2), appstest.Mem(5), {Ranks: 5, Procs: 2, Transport: "shm"},
		{Ranks: 4, Procs: 4, Transport: "sim"}} {
		t.Run(s.Transport, func(t *testing.T) {
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				got, err := run(r, n)
				require.Equal(t, starts[got.Length], got.Starts)
				got.Length = 0
				require.Equal(t, want, got)
				return err
			}))
		})
	}
	err := appstest.Mem(1).Run(t, func(r *pebble.Rank) error { _, err := run(r, n); return err })
	require.ErrorContains(t, err, "two libraries need two ranks")
}
