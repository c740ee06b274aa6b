package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// hidden runs a program over a network that completes a put long before it is visible, unless a fence makes it so.
func hidden(t *testing.T, ranks int, do func(r rank)) {
	world := sim.Config{Ranks: ranks, Processes: ranks, Seed: 1, Faults: sim.Faults{Hide: time.Millisecond}}
	require.NoError(t, appstest.Simulate(t, world, pebble.Config{}, program(do)))
}

// The next holder of a lock sees the puts of the holder before, though puts alone would be visible much later.
func TestHoldersSeeWhatIsFenced(t *testing.T) {
	const ranks, each, width = 4, 10, 3
	hidden(t, ranks, func(r rank) {
		a, l := r.words("a", ranks*width), memory.NewLock(r.s, "l", 1)
		r.Do(func() {
			for range each {
				l.Lock()
				all := make([]uint64, ranks*width)
				a.GetRange(0, all)
				for i := range all {
					all[i]++
				}
				for owner := range uint64(ranks) {
					a.PutRange(owner*width, all[owner*width:(owner+1)*width])
				}
				l.Unlock()
			}
		})
		for i, got := range a.Local() {
			r.EqualValues(ranks*each, got, "rank %d, element %d", r.ID(), i)
		}
	})
}

// The end of an epoch is a fence: all ranks see the puts of a rank.
func TestEpochsEndWithAFence(t *testing.T) {
	const ranks = 3
	hidden(t, ranks, func(r rank) {
		a := r.words("a", ranks)
		for round := range uint64(3) {
			r.Do(func() { a.Put(uint64(r.ID()+1)%ranks, round+1) })
			r.Equal([]uint64{round + 1}, a.Local(), "rank %d", r.ID())
			r.Meet()
		}
	})
}
