package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// hidden runs a program over a network that completes a put long before it is visible, unless a fence makes it so.
func hidden(t *testing.T, ranks int, program func(r *pebble.Rank) error) error {
	w, err := sim.New(sim.Config{Ranks: ranks, Processes: ranks, Seed: 1, Faults: sim.Faults{Hide: time.Millisecond}})
	require.NoError(t, err)
	return w.Each(func(p netio.Transport) error {
		return pebble.Run(t.Context(), pebble.Config{Transport: p}, program)
	})
}

// The next holder of a lock sees the puts of the holder before, though puts alone would be visible much later.
func TestHoldersSeeWhatIsFenced(t *testing.T) {
	const ranks, each, width = 4, 10, 3
	require.NoError(t, hidden(t, ranks, func(r *pebble.Rank) error {
		s := memory.New(r)
		a := memory.NewArray[uint64](s, "a", distribution.Block(ranks*width, ranks))
		l := memory.NewLock(s, "l", 1)
		if err := r.Epoch(func() error {
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
			return nil
		}); err != nil {
			return err
		}
		for i, got := range a.Local() {
			require.EqualValues(t, ranks*each, got, "rank %d, element %d", r.ID(), i)
		}
		return nil
	}))
}

// The end of an epoch is a fence: all ranks see the puts of a rank.
func TestEpochsEndWithAFence(t *testing.T) {
	const ranks = 3
	require.NoError(t, hidden(t, ranks, func(r *pebble.Rank) error {
		a := memory.NewArray[uint64](memory.New(r), "a", distribution.Block(ranks, ranks))
		for round := range uint64(3) {
			if err := r.Epoch(func() error {
				a.Put(uint64(r.ID()+1)%ranks, round+1)
				return nil
			}); err != nil {
				return err
			}
			require.Equal(t, []uint64{round + 1}, a.Local(), "rank %d", r.ID())
			if err := r.Barrier(); err != nil {
				return err
			}
		}
		return nil
	}))
}
