package container_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// Containers need no put to be visible before its fence.
func TestContainersOverHiddenPuts(t *testing.T) {
	const ranks, keys = 4, 300
	world := sim.Config{Ranks: ranks, Processes: ranks, Seed: 1, Faults: sim.Faults{Hide: time.Millisecond}}
	require.NoError(t, appstest.Simulate(t, world, pebble.Config{}, func(r *pebble.Rank) error {
		m, n := container.NewMap[int, int](r, "m"), container.NewCounter[int](r, "n")
		for round := range 3 {
			appstest.Epoch(r, func() {
				for k := r.ID(); k < keys; k += ranks {
					m.Put(k, k*round)
					n.Add(k%7, 1)
				}
			})
			for k, v := range m.LocalAll() {
				require.Equal(t, k*round, v)
			}
			require.EqualValues(t, keys*(round+1), appstest.Must(sum(r, n)))
		}
		return nil
	}))
}
