package target_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// A rank that is slow holds its senders back, over every hop, and fills nobody's memory: each rank holds, for each
// neighbour, one frame that fills, one that waits for credit and those in flight.
func TestSlowRankHoldsSendersBack(t *testing.T) {
	const budget = 1 << 30
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for _, credits := range []int{1, 3} {
			for each, coalesce := range map[int]int{100_000: 64, 2_000: 1} {
				name := fmt.Sprintf("%s, credits %d, %d a frame", topology(8).Name(), credits, coalesce)
				t.Run(name, func(t *testing.T) {
					c := pebble.Config{Ranks: 8, Topology: topology, Credits: credits, Coalesce: coalesce,
						BufferBudget: budget}
					sendToSlow(t, c, each, func(neighbors int) int64 {
						return int64(neighbors*(2+credits)) * netio.FrameCost(8*coalesce)
					})
				})
			}
		}
	}
}

// So does the budget of what is in flight, where links have more credit.
func TestBudgetHoldsSendersBack(t *testing.T) {
	const budget = 16 << 10
	for each, coalesce := range map[int]int{20_000: 64, 2_000: 1} {
		c := pebble.Config{Ranks: 8, Credits: 1 << 20, Coalesce: coalesce, BufferBudget: budget}
		sendToSlow(t, c, each, func(neighbors int) int64 {
			return budget + int64(neighbors)*netio.FrameCost(8*coalesce)
		})
	}
}

// sendToSlow has all ranks send so many pebbles each to a rank that is slow at first. No rank may hold more than a
// bound, which is that for its number of neighbours, and some for detectors.
func sendToSlow(t *testing.T, c pebble.Config, each int, bound func(neighbors int) int64) {
	got := 0
	require.NoError(t, run(t, c, func(r *pebble.Rank) error {
		slow := target.New(r, "slow", distribution.Cyclic(8, 8),
			target.Key(func(uint64) uint64 { return 0 }),
			target.Batch(func(vs []uint64) {
				if got == 0 {
					time.Sleep(50 * time.Millisecond) // long enough for all others to run into their bounds
				}
				got += len(vs)
			}))
		if err := r.Epoch(func() error {
			batch := make([]uint64, 1000)
			for range each / len(batch) {
				slow.SendAll(batch)
			}
			return nil
		}); err != nil {
			return err
		}
		control := 64 * netio.FrameCost(64)
		neighbors := len(r.Config().Topology(8).Neighbors(r.ID()))
		require.LessOrEqual(t, r.Memory().Peak, bound(neighbors)+control)
		return nil
	}))
	require.Equal(t, 8*each, got)
}

// What handlers send while a link has no credit waits at its sender, up to the memory limit.
func TestHandlersBeyondCreditRunIntoTheMemoryLimit(t *testing.T) {
	c := pebble.Config{Ranks: 2, Credits: 1, MemoryLimit: 1 << 20}
	err := run(t, c, func(r *pebble.Rank) error {
		var flood *target.Target[uint64]
		flood = target.New(r, "flood", distribution.Cyclic(2, 2),
			target.Key(func(v uint64) uint64 { return v % 2 }),
			target.Each(func(v uint64) {
				for range 3 {
					flood.Send(v + 1)
				}
			}))
		return r.Epoch(func() error { flood.Send(uint64(1 - r.ID())); return nil })
	})
	var limit *pebble.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "flood", limit.Target)
}

func TestCreditIsChecked(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 2, Credits: -1}, func(*pebble.Rank) error { return nil })
	require.ErrorContains(t, err, "-1 frames of credit")
}
