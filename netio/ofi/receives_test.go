package ofi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// TestPacketsAreBounded sends many small frames, each in a packet of its own, both ways between processes that look seldom. No more packets are under way than
// the fabric allows, all frames arrive, and nothing waits for ever.
func TestPacketsAreBounded(t *testing.T) {
	most := map[int]int{}
	for _, bound := range []int{0, receivesMin} {
		const count = 1000
		n := &loopback{delay: 20, packets: bound}
		all := dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, func(int) (fabric, error) { return n.open(), nil })
		for _, p := range all {
			p.Start(func(err error) { t.Error(err) })
		}
		for rank, p := range all {
			port := p.Port(rank)
			for range count {
				f := port.Pool().Get(8)
				f.Kind, f.From, f.To, f.Bytes = netio.Control, uint32(rank), uint32(1-rank), 8
				port.Send(f)
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
