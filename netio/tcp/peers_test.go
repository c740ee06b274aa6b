package tcp

import (
	"fmt"
	"math/bits"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// A process that this one has nothing to do with costs a word, and a flag for each of its two connections: not a peer.
func TestProcessesThatAreNotMetCostAWord(t *testing.T) {
	const few, many, words = 64, 4096, 2
	least := allocated(func() { idleIn(few) })
	most := allocated(func() { idleIn(many) })
	require.LessOrEqual(t, most-least, uint64((many-few)*words*8), "bytes, %d and %d", least, most)
}

// At the start log2 P other processes are peers.
func TestNeighboursArePeers(t *testing.T) {
	for _, processes := range []int{2, 64, 100, 4096} {
		tr := idleIn(processes)
		tr.first()
		require.LessOrEqual(t, len(tr.others()), bits.Len(uint(processes-1)), processes)
		require.NotEmpty(t, tr.others())
	}
}

// Processes that listen at one address share its cores, and ranks pause for longer where these are many.
func TestPausesByHost(t *testing.T) {
	const processes = 4096
	addresses := make([]string, processes)
	for hosts, want := range map[int]time.Duration{1: idle.PauseFor(processes), processes: idle.PauseFor(1)} {
		for i := range addresses {
			addresses[i] = fmt.Sprintf("host%d:1", i*hosts/processes)
		}
		tr := newTransport(Config{Place: netio.PlaceOf(processes, processes, 0), Addresses: addresses})
		require.Equal(t, want, tr.pause, "%d hosts", hosts)
	}
}

// A peer that is first asked for while this process ends has ended.
func TestLatePeersHaveEnded(t *testing.T) {
	tr := idleIn(8)
	early := tr.peer(1)
	tr.Abort("enough")
	late := tr.peer(5)
	require.Equal(t, []*peer{early, late}, tr.others())
	require.True(t, late.over)
	f := netio.NewPool(nil).Get(8)
	f.Kind, f.From, f.To, f.Bytes = netio.Data, 0, 5, 8
	late.streams[dataStream].send(f)
	require.Zero(t, f.Inside(access).Pool.Lent(), "its frames come home")
}

// idleIn is a transport of process 0, which is not connected.
func idleIn(processes int) *Transport {
	return newTransport(Config{Place: netio.PlaceOf(processes, processes, 0), Connect: ConnectNeed})
}

// allocated is the least number of bytes that some calls have allocated: others may allocate meanwhile.
func allocated(f func()) (least uint64) {
	var before, after runtime.MemStats
	for i := range 5 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; i == 0 || n < least {
			least = n
		}
	}
	return least
}
