package pebble_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// The main function's sends wait for room under any memory limit that registration accepts, with any budget.
func TestTheBudgetFollowsTheMemoryLimit(t *testing.T) {
	const sends = 60_000
	for _, c := range []pebble.Config{
		{Ranks: 4, MemoryLimit: 256 << 10},
		{Ranks: 4, MemoryLimit: 64 << 10, BufferBudget: 1 << 40},
		{Ranks: 24, MemoryLimit: 96 << 10},
		{Ranks: 4, MemoryLimit: 256 << 10, Cache: 4096},
	} {
		var options []target.Option
		if c.Cache > 0 {
			options = append(options, target.Reduce(reduce.Duplicates[uint64]()))
		}
		got, peaks := make([]int, c.Ranks), make([]int64, c.Ranks)
		job(t, c, func(r *pebble.Rank) error {
			require.Equal(t, c.MemoryLimit/2, r.Config().BufferBudget)
			at := byRank(r, "at", func(uint64) { got[r.ID()]++ }, options...)
			err := epoch(r, func() {
				batch := make([]uint64, 500)
				for n := 0; n < sends; n += len(batch) {
					for i := range batch {
						batch[i] = uint64(r.ID()*sends + n + i)
					}
					at.SendAll(batch)
				}
			})
			peaks[r.ID()] = r.Memory().Peak
			return err
		})
		require.Equal(t, c.Ranks*sends, sumOf(got))
		require.LessOrEqual(t, slices.Max(peaks), c.MemoryLimit+64*netio.FrameCost(0)) // and messages of collectives
	}
}

// The advice fits the use of the memory, and names the target.
func TestAdviceFitsTheCauseOfALimit(t *testing.T) {
	for _, c := range []struct {
		f      func(r *pebble.Rank) error
		target string
		cause  pebble.LimitCause
		advice []string
	}{
		{func(r *pebble.Rank) error {
			at := target.New(r, "large", distribution.Ranks(2),
				target.Key(func(string) uint64 { return uint64(1 - r.ID()) }),
				target.Each(func(string) {}), target.Coded[string](words{}))
			return epoch(r, func() { at.Send(string(make([]byte, 100<<10))) })
		}, "large", pebble.FromMain, []string{"for buffers of the main function", "lower the coalescing factor"}},
		{func(r *pebble.Rank) error {
			var at *target.Target[uint64]
			at = byRank(r, "flood", func(v uint64) { at.SendAll([]uint64{v, v, v}) })
			return epoch(r, func() { at.Send(0) })
		}, "flood", pebble.FromHandlers, []string{"let handlers send less at once", "raise the memory limit"}},
		{func(r *pebble.Rank) error {
			for _, name := range []string{"one", "other"} { // too large together
				byRank(r, name, ignore, target.Reduce(reduce.Duplicates[uint64]()), target.Cache(4<<10))
			}
			return nil
		}, "one", pebble.FromCaches, []string{"ask for a smaller cache"}},
	} {
		err := run(t, pebble.Config{Ranks: 2, MemoryLimit: 64 << 10}, c.f)
		var limit *pebble.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, c.cause, limit.Cause)
		require.Equal(t, c.target, limit.Target)
		for _, words := range append(c.advice, fmt.Sprintf("target %q needs", c.target)) {
			require.ErrorContains(t, err, words)
		}
	}
}

// A value of more than a message holds is refused also where it needs no message.
func TestGatherTooLarge(t *testing.T) {
	large := make([]byte, netio.FrameBytesMax+1)
	for name, gather := range map[string]func(r *pebble.Rank) ([][]byte, error){
		"gathering":     func(r *pebble.Rank) ([][]byte, error) { return pebble.GatherSlice(r, 0, large) },
		"all-gathering": func(r *pebble.Rank) ([][]byte, error) { return pebble.AllGatherSlice(r, large) },
	} {
		err := pebble.Run(t.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			_, err := gather(r)
			return err
		})
		require.ErrorContains(t, err, name+" has 1073741825 bytes in one message, which holds 1073741824 at most")
	}
}
