package target_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// simulate runs a function as a simulated job in one process, whose ranks take their time by Rank.Compute.
func simulate(t *testing.T, ranks int, c pebble.Config, f func(r *pebble.Rank) error) error {
	t.Helper()
	w, err := sim.New(sim.Config{Ranks: ranks})
	require.NoError(t, err)
	return w.Each(func(tr netio.Transport) error {
		own := c // Each calls this for all processes at once
		own.Transport = tr
		return pebble.Run(context.Background(), own, f)
	})
}

// A program that sends a pebble now and then need not send many, nor poll, before those that are due leave.
func TestSinglePebblesOfASlowSenderAreDue(t *testing.T) {
	const between = 20 * time.Millisecond // of two pebbles
	var handled time.Duration
	require.NoError(t, simulate(t, 2, pebble.Config{Due: time.Millisecond}, func(r *pebble.Rank) error {
		number := target.New(r, "number", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) {
				if handled == 0 {
					handled = r.Now()
				}
			}))
		began := r.Now()
		return r.Epoch(func() error {
			for range target.SendBufferMax / 2 {
				if r.ID() != 0 || handled != 0 {
					return nil
				}
				number.Send(1)
				r.Compute(between)
			}
			if waited := r.Now() - began; waited > 3*between {
				return errors.New("pebbles wait until the stage is full")
			}
			return nil
		})
	}))
	require.Positive(t, handled)
}

// A rank that sends all its pebbles to itself handles those of others meanwhile: they would wait for credit until it
// had ended.
func TestSendersToThemselvesServeOthers(t *testing.T) {
	for name, send := range map[string]func(number *target.Target[uint64], v uint64){
		"single":  (*target.Target[uint64]).Send,
		"batches": func(number *target.Target[uint64], v uint64) { number.SendAll([]uint64{v, v, v}) },
	} {
		t.Run(name, func(t *testing.T) {
			fromOther := false
			require.NoError(t, simulate(t, 2, pebble.Config{Due: time.Millisecond}, func(r *pebble.Rank) error {
				number := target.New(r, "number", distribution.Cyclic(4, 2),
					target.Key(func(v uint64) uint64 { return v }),
					target.Each(func(v uint64) { fromOther = fromOther || v == 2 }))
				return r.Epoch(func() error {
					if r.ID() == 1 {
						number.Send(2)
						return nil
					}
					for range 1000 {
						if fromOther {
							return nil
						}
						send(number, 0)
						r.Compute(time.Millisecond)
					}
					return errors.New("a second of own pebbles, and none of the other rank's was handled")
				})
			}))
		})
	}
}

// Single sends of the main function gather as many pebbles as SendBufferMax says, and fewer of large ones.
func TestSingleSendsGather(t *testing.T) {
	require.Equal(t, target.SendBufferMax, gathered[uint64](t))
	require.Equal(t, target.SendBufferMax, gathered[[64]byte](t))
	require.Equal(t, 16, gathered[[1024]byte](t))
	require.Equal(t, 1, gathered[[16 << 10]byte](t))
}

// gathered is how many pebbles of a type a rank sends to itself before it handles them.
func gathered[V any](t *testing.T) (sends int) {
	handled := 0
	require.NoError(t, run(t, pebble.Config{Ranks: 1, Due: -1}, func(r *pebble.Rank) error {
		own := target.New(r, "own", distribution.Ranks(1), target.Key(func(V) uint64 { return 0 }),
			target.Each(func(V) { handled++ }))
		return r.Epoch(func() error {
			var v V
			for handled == 0 && sends <= target.SendBufferMax {
				own.Send(v)
				sends++
			}
			return nil
		})
	}))
	require.Equal(t, sends, handled)
	return sends
}
