package shm

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/inflight"
	"github.com/activepebbles/pebbles/internal/local"
)

// TestTurnsWrap goes around rings while the numbers of their turns begin again at zero: each entry is seen once, and only
// after it was put.
func TestTurnsWrap(t *testing.T) {
	t.Run("releases", func(t *testing.T) {
		r := releases{entries: make([]atomic.Uint64, inflight.SharedMax), header: &local.RingHeader{}}
		first := uint64(1<<(64-turnShift)-2) * inflight.SharedMax
		r.header.Released.Store(first)
		for ticket := first; ticket < first+4*inflight.SharedMax; ticket++ {
			_, _, ok := r.next(ticket)
			require.False(t, ok)
			require.Equal(t, ticket, r.reserve(1))
			r.put(ticket, int(ticket)%1000, frame.Number(ticket%inflight.SharedMax))
			process, number, ok := r.next(ticket)
			require.True(t, ok)
			require.Equal(t, int(ticket)%1000, process)
			require.EqualValues(t, ticket%inflight.SharedMax, number)
		}
	})
	t.Run("ring", func(t *testing.T) {
		r := local.Ring{Slots: make([]local.Slot, slotsMin), Header: &local.RingHeader{}}
		first := uint64(1<<32-2) * slotsMin
		r.Header.Tail.Store(first)
		r.Header.Head.Store(first)
		var seen atomic.Uint64
		seen.Store(first)
		for ticket := first; ticket < first+4*slotsMin; {
			require.False(t, r.Filled(ticket))
			drawn, ok := r.Reserve(&seen)
			require.True(t, ok)
			require.Equal(t, ticket, drawn)
			r.Publish(drawn)
			require.True(t, r.Filled(ticket))
			ticket = r.Advance(ticket)
		}
	})
}
