package target_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// A program whose next pebble waits for the answer to the last would stand still for ever with its pebbles in buffers
// that nothing fills. Periodic dispatch sends them when nothing has moved for a while (TRAM, section III.D).
func TestPeriodicDispatch(t *testing.T) {
	const rounds = 20
	periodic := make([]uint64, 3)
	c := pebble.Config{Ranks: 3, Due: -1, Period: 100 * time.Microsecond}
	require.NoError(t, run(t, c, func(r *pebble.Rank) error {
		answered := 0
		byRank := distribution.Cyclic(3, 3)
		answer := target.New(r, "answer", byRank, target.Key(func(to uint64) uint64 { return to }),
			target.Each(func(uint64) { answered++ }))
		question := target.New(r, "question", byRank, target.Key(func(v [2]uint64) uint64 { return v[0] }),
			target.Each(func(v [2]uint64) { answer.Send(v[1]) }))
		err := r.Epoch(func() error {
			for round := range rounds {
				question.Send([2]uint64{uint64(r.ID()+1) % 3, uint64(r.ID())})
				for answered <= round {
					r.Poll()
				}
			}
			return nil
		}, pebble.Depth(2))
		periodic[r.ID()] = r.Counters().FlushPeriodic
		return err
	}))
	for _, n := range periodic {
		require.Positive(t, n)
	}
}
