package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// No heat is lost as long as it has not reached the last row.
func TestRows(t *testing.T) {
	for _, s := range []appstest.Shape{
		{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
		{Ranks: 3, Procs: 1, Transport: "mem", New: route.Hypercube},
		{Ranks: 4, Procs: 2, Transport: "tcp", New: route.Direct},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				heat, err := run(r)
				if err != nil {
					return err
				}
				all, err := pebble.AllReduce(r, heat, pebble.Sum)
				if err == nil && math.Abs(all-1) > 1e-9 {
					return fmt.Errorf("the heat is %v", all)
				}
				return err
			}))
		})
	}
}
