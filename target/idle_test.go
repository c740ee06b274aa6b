package target

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/termination"
)

// A rank whose pebbles another rank of its process has taken out of their shared buffer, and not yet handed over, finds the buffer
// empty. Its frames are not back before that one is: when the other has handed it over at once, and when the frame had to wait for credit.
func TestTakenFramesAreNotBack(t *testing.T) {
	for _, waits := range []bool{false, true} {
		w, err := sim.New(sim.Config{Ranks: 2, Processes: 2})
		require.NoError(t, err)
		got := 0
		require.NoError(t, w.Each(func(tr netio.Transport) error {
			c := pebble.Config{Transport: tr, Buffers: pebble.Shared, Credits: 1, Termination: termination.NBX}
			return pebble.Run(context.Background(), c, func(r *pebble.Rank) error {
				all := New(r, "all", distribution.Block(2, 2), Key(func(v uint64) uint64 { return v }),
					Each(func(uint64) { got++ }))
				return r.Epoch(func() error {
					if r.ID() == 1 {
						return nil
					}
					mine := all.plain
					other := new(outbox) // of another rank, as far as shared buffers go
					other.open(mine.door, mine.plan, mine.unit, mine.most, mine.factor)
					const l = 1
					s := mine.shares[l]
					require.Same(t, s, other.shares[l])
					send := func() {
						all.Send(1)
						all.Flush()
					}
					if waits {
						send()
						require.EqualValues(t, 1, s.underWay.UnderWay())
					}
					mine.sendDeep([]uint64{1}, false, 1)
					mine.pour(l, s)
					s.mu.Lock()
					f := other.take(l, s, coalesce.Full)
					s.mu.Unlock()
					require.False(t, mine.flushShared(l, s, coalesce.Idle), "nothing is left here")
					if waits {
						other.leave(l, f)
						require.True(t, other.waits(l))
						for s.underWay.UnderWay() > 0 {
							r.Poll()
							mine.door.Turn(0)
							mine.door.Collect()
						}
					}
					require.False(t, mine.Back(), "the frame is with another rank")
					if waits {
						other.Pump()
					} else {
						other.leave(l, f)
					}
					require.False(t, mine.Back(), "it is under way")
					return nil
				}, pebble.Depth(1))
			})
		}))
		if waits {
			require.Equal(t, 2, got)
		} else {
			require.Equal(t, 1, got)
		}
	}
}
