package shm

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// TestTurnsWrap goes around rings while the numbers of their turns begin again at zero: each entry is seen once, and
// only after it was put.
func TestTurnsWrap(t *testing.T) {
	t.Run("releases", func(t *testing.T) {
		r := releases{entries: make([]atomic.Uint64, inflight.SharedMax), header: &local.RingHeader{}}
		first := uint64(1<<(64-turnShift)-2) * inflight.SharedMax
		r.header.Released.Store(first)
		for seq := first; seq < first+4*inflight.SharedMax; seq++ {
			_, _, ok := r.next(seq)
			require.False(t, ok)
			require.Equal(t, seq, r.reserve(1))
			r.publish(seq, int(seq)%1000, frame.Number(seq%inflight.SharedMax))
			process, number, ok := r.next(seq)
			require.True(t, ok)
			require.Equal(t, int(seq)%1000, process)
			require.EqualValues(t, seq%inflight.SharedMax, number)
		}
	})
	t.Run("ring", func(t *testing.T) {
		r := local.Ring{Slots: make([]local.Slot, slotsMin), Header: &local.RingHeader{}}
		first := uint64(1<<32-2) * slotsMin
		r.Header.Tail.Store(first)
		r.Header.Head.Store(first)
		var seen atomic.Uint64
		seen.Store(first)
		for seq := first; seq < first+4*slotsMin; {
			require.False(t, r.Filled(seq))
			drawn, ok := r.Reserve(&seen)
			require.True(t, ok)
			require.Equal(t, seq, drawn)
			r.Publish(r.At(drawn), drawn)
			require.True(t, r.Filled(seq))
			seq = r.Advance(seq)
		}
	})
}
