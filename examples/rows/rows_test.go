package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// No heat is lost before it has reached the last row.
func TestRows(t *testing.T) {
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			heat := appstest.Must(run(r))
			all, err := pebble.AllReduce(r, heat, pebble.Sum)
			if err == nil && math.Abs(all-1) > 1e-9 {
				return fmt.Errorf("the heat is %v", all)
			}
			return err
		}))
	})
}
