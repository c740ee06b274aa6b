package target_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// A program that sends a pebble now and then need not send many, nor poll, before those that are due leave.
func TestSinglePebblesOfASlowSenderAreDue(t *testing.T) {
	var handled atomic.Bool
	require.NoError(t, run(t, pebble.Config{Ranks: 2, Due: time.Millisecond}, func(r *pebble.Rank) error {
		number := target.New(r, "number", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) { handled.Store(true) }))
		return r.Epoch(func() error {
			for range target.StageMost / 2 {
				if r.ID() != 0 || handled.Load() {
					return nil
				}
				number.Send(1)
				time.Sleep(20 * time.Millisecond)
			}
			return errors.New("pebbles wait until the stage is full")
		})
	}))
}
