package netio

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTurnsWrap goes around rings while the numbers of their turns begin again at zero: each entry is seen once, and only
// after it was put.
func TestTurnsWrap(t *testing.T) {
	t.Run("returns", func(t *testing.T) {
		r := returns{entries: make([]atomic.Uint64, returnsMax), desk: &desk{}}
		first := uint64(1<<(64-turnShift)-2) * returnsMax
		r.desk.returned.Store(first)
		for ticket := first; ticket < first+4*returnsMax; ticket++ {
			_, _, ok := r.next(ticket)
			require.False(t, ok)
			require.Equal(t, ticket, r.draw(1))
			r.put(ticket, int(ticket)%1000, uint32(ticket%returnsMax))
			process, passage, ok := r.next(ticket)
			require.True(t, ok)
			require.Equal(t, int(ticket)%1000, process)
			require.EqualValues(t, ticket%returnsMax, passage)
		}
	})
	t.Run("ring", func(t *testing.T) {
		r := ring{slots: make([]slot, slotsMin), desk: &desk{}}
		first := uint64(1<<32-2) * slotsMin
		r.desk.tail.Store(first)
		r.desk.head.Store(first)
		var seen atomic.Uint64
		seen.Store(first)
		for ticket := first; ticket < first+4*slotsMin; {
			require.False(t, r.filled(ticket))
			drawn, ok := r.draw(&seen)
			require.True(t, ok)
			require.Equal(t, ticket, drawn)
			r.publish(drawn)
			require.True(t, r.filled(ticket))
			ticket = r.empty(ticket)
		}
	})
}
