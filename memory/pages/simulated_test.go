package pages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// Operations on exposed memory overtake each other in simulated networks: nothing is lost by that.
func TestOvertakenOperations(t *testing.T) {
	seed := newSeed(t)
	for i := range uint64(30) {
		faults := sim.Faults{Delay: 0.3, Double: 0.1}
		w, err := sim.New(sim.Config{Ranks: 7, Processes: 4, Seed: seed + i, Faults: faults})
		require.NoError(t, err)
		require.NoError(t, w.Each(func(p netio.Transport) error {
			return pebble.Run(t.Context(), pebble.Config{Transport: p}, func(r *pebble.Rank) error {
				s, err := pages.New(memory.New(r), pages.Config{PageBytes: 64, Copies: i%2 == 0})
				if err != nil {
					return err
				}
				if err := equalsASlice[uint32](s, seed+i, 3000, block); err != nil {
					return err
				}
				return countsUnderLocks(s, seed+i, 40)
			})
		}))
	}
}
