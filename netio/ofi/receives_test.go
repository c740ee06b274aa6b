package ofi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// TestPacketsAreBounded sends many small frames, each in its own packet, in both directions between processes that
// seldom look. The packets in flight stay within the fabric's bound, all frames arrive, and nothing waits without end.
func TestPacketsAreBounded(t *testing.T) {
	most := map[int]int{}
	for _, bound := range []int{0, receivesMin} {
		const count = 1000
		n := &loopback{delay: 20, packets: bound}
		all := job(t, n, 2)
		for rank, p := range all {
			port := p.Port(rank)
			for range count {
				port.Send(netiotest.Frame(port, netio.Control, rank, 1-rank, 8))
			}
		}
		for rank, p := range all {
			for port, got := p.Port(rank), 0; got < count; {
				if f := port.Recv(); f != nil {
					f.Release()
					got++
				} else {
					port.Wait(time.Millisecond)
				}
			}
		}
		closeAll(t, all)
		most[bound] = n.most
	}
	require.Greater(t, most[0], receivesMin, "the bound was not tried")
	require.LessOrEqual(t, most[receivesMin], receivesMin)
}

func TestReceives(t *testing.T) {
	for _, processes := range []int{1, 2, 3, 4, 33, 34, 64, 128, 129, 130, 1000} {
		each := receives(processes)
		require.LessOrEqual(t, receivesMin, each)
		require.LessOrEqual(t, each, receivesMax)
		all := each * max(processes-1, 1)
		queue := peersFor(processes, all) * (sendsMax + all)
		require.GreaterOrEqual(t, queue, sendsMax*processes+all, "%d processes", processes)
		if processes <= 128 {
			require.Less(t, queue, 32768, "soft-RoCE, %d processes", processes)
		}
	}
}

// TestAllowance requires that the bound of packets is met exactly, even where counts wrap and packets overtake each
// other, and that taken packets are reported once.
func TestAllowance(t *testing.T) {
	for _, begin := range []uint32{0, 1<<32 - 3} {
		a := allowance{here: 8, there: 4, sent: begin, gone: begin, taken: begin, told: begin}
		for n := range 4 {
			require.True(t, a.room(0), "%d from %d", n, begin)
			require.Equal(t, n < 3, a.room(1))
			a.countSent()
		}
		require.False(t, a.room(0))
		require.False(t, a.due())
		a.countReceived(begin + 3)
		require.False(t, a.due())
		a.countReceived(begin + 2) // overtaken by the one before
		require.True(t, a.due(), "a quarter of what may come was taken")
		require.True(t, a.room(2))
		require.False(t, a.room(3))
		a.countSent()
		require.False(t, a.due())
		a.countReceived(begin + 5)
		require.True(t, a.room(3))
		require.False(t, a.room(4))
	}
	require.True(t, (&allowance{sent: 1 << 31}).room(1<<20), "no bound")
}

// TestPreposted compares the reported pinned memory with the actual: at first, and with some grown windows.
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
