package ofi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is said to be pinned is what is pinned: at first, and when the windows of some processes have grown.
func TestPreposted(t *testing.T) {
	for _, processes := range []int{2, 4, 12} {
		all := job(t, &loopback{}, processes)
		w := all[0].way
		senders := make(map[int]bool)
		for process := 1; process < processes; process += 2 {
			senders[process] = true
		}
		p, ok := all[0].Preposted(senders)
		require.True(t, ok)
		require.Equal(t, "loopback", p.Provider)
		require.Equal(t, processes-1, p.Links)
		require.Equal(t, processes/2, p.Senders)
		w.mu.Lock()
		require.Equal(t, p.Bytes(0), w.pinned.used)
		require.Equal(t, leastPinned(processes), w.pinned.used, "what doctor says")
		require.Equal(t, w.pinned.limit, p.Limit)
		for _, p := range w.linked[:p.Senders] {
			for p.window < windowMax {
				p.widen()
			}
		}
		require.Equal(t, p.Bytes(p.Senders), w.pinned.used)
		w.mu.Unlock()
		closeAll(t, all)
		_, ok = all[0].Preposted(senders)
		require.False(t, ok, "it is closed")
	}
}
