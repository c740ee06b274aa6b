package pages_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// Pages rely on fences alone: they do not need puts to be visible when done.
func TestReleasesAreFences(t *testing.T) {
	seed := seeds.Of(t)
	for i := range uint64(6) {
		world := sim.Config{Ranks: 4, Processes: 4, Seed: seed + i, Faults: sim.Faults{Hide: time.Millisecond}}
		config := pages.Config{PageBytes: 64 << (i % 3), Copies: i%2 == 0, Flat: i == 5}
		require.NoError(t, appstest.Simulate(t, world, pebble.Config{PageCache: 8 << 10}, program(config, func(r rank) {
			equalsASlice[uint32](r, seed+i, 400, blocks)
			countsUnderLocks(r, seed+i, 40)
		})))
	}
}
