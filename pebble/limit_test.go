package pebble_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// Main's sends wait for room under any memory limit that registration takes, whatever the budget: they have no part in
// handlers' errors.
func TestTheBudgetFollowsTheMemoryLimit(t *testing.T) {
	const sends = 60_000
	for _, c := range []pebble.Config{
		{Ranks: 4, MemoryLimit: 256 << 10},
		{Ranks: 4, MemoryLimit: 64 << 10, BufferBudget: 1 << 40},
		{Ranks: 24, MemoryLimit: 96 << 10},
		{Ranks: 4, MemoryLimit: 256 << 10, Cache: 4096},
	} {
		t.Run(fmt.Sprint(c.Ranks, " ranks ", c.MemoryLimit), func(t *testing.T) {
			var got atomic.Int64
			var peak atomic.Int64
			job(t, c, func(r *pebble.Rank) error {
				require.Equal(t, c.MemoryLimit/2, r.Config().BufferBudget)
				options := []target.Option{}
				if c.Cache > 0 {
					options = append(options, target.Reduce(reduce.Duplicates[uint64]()))
				}
				at := target.New(r, "at", distribution.Cyclic(2<<20, r.Size()),
					target.Key(func(v uint64) uint64 { return v }),
					target.Batch(func(vs []uint64) { got.Add(int64(len(vs))) }), options...)
				err := epoch(r, func() {
					batch := make([]uint64, 500)
					for n := 0; n < sends; n += len(batch) {
						for i := range batch {
							batch[i] = uint64(r.ID()*sends + n + i)
						}
						at.SendAll(batch)
					}
				})
				peak.Store(max(peak.Load(), r.Memory().Peak))
				return err
			})
			require.EqualValues(t, c.Ranks*sends, got.Load())
			require.LessOrEqual(t, peak.Load(), c.MemoryLimit+64*netio.FrameCost(0)) // and messages of collectives
		})
	}
}

// The advice fits what the memory was needed for.
func TestAdviceFitsTheCauseOfALimit(t *testing.T) {
	large := run(t, pebble.Config{Ranks: 2, MemoryLimit: 64 << 10}, func(r *pebble.Rank) error {
		at := target.New(r, "large", distribution.Cyclic(2, 2),
			target.Key(func(string) uint64 { return uint64(1 - r.ID()) }),
			target.Each(func(string) {}), target.Coded[string](words{}))
		return epoch(r, func() { at.Send(string(make([]byte, 100<<10))) })
	})
	flood := run(t, pebble.Config{Ranks: 2, MemoryLimit: 64 << 10}, func(r *pebble.Rank) error {
		var at *target.Target[uint64]
		at = byRank(r, "flood", func(v uint64) { at.SendAll([]uint64{v, v, v}) })
		return epoch(r, func() { at.Send(0) })
	})
	cache := run(t, pebble.Config{Ranks: 2, MemoryLimit: 64 << 10}, func(r *pebble.Rank) error {
		for _, name := range []string{"one", "other"} { // together too large
			target.New(r, name, distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
				target.Each(ignore),
				target.Reduce(reduce.Duplicates[uint64]()), target.Cache(4<<10))
		}
		return nil
	})
	for _, c := range []struct {
		err    error
		cause  pebble.LimitCause
		advice string
	}{
		{large, pebble.FromMain, "for buffers of the main function"},
		{large, pebble.FromMain, "lower the coalescing factor"},
		{flood, pebble.FromHandlers, "let handlers send less at once"},
		{cache, pebble.FromCaches, "ask for a smaller cache"},
	} {
		var limit *pebble.LimitError
		require.ErrorAs(t, c.err, &limit)
		require.Equal(t, c.cause, limit.Cause)
		require.ErrorContains(t, c.err, c.advice)
	}
}
