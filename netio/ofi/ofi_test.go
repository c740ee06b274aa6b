package ofi

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/way"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// TestTrouble sends frames of all sizes to one process while the fabric delays, is busy, or refuses memory. Each
// arrives once, and every packet finds a slab.
func TestTrouble(t *testing.T) {
	for name, n := range map[string]*loopback{
		"delays": {delay: 3}, "is busy": {busy: 3}, "refuses": {refuseAfter: 4},
		"all": {delay: 2, busy: 5, refuseAfter: 4}, "nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			all := trouble(t, func() fabric { return n.open() })
			require.Zero(t, n.none, "packets that found no slab")
			refused := uint64(0)
			for _, p := range all {
				c := p.way.counts
				require.Greater(t, c.SlabBytes, c.Granted)
				require.NotZero(t, c.Packets)
				refused += c.Refused
			}
			require.Equal(t, n.refuseAfter > 0, refused > 0)
		})
	}
}

// trouble sends frames of all sizes from three processes to one, over ends of a fabric. Each arrives once.
func trouble(t *testing.T, end func() fabric) (all []process) {
	const count, from = 180, 3
	cs := netiotest.Configs(t, from+1, from+1)
	all = dial(t, cs, Options{All: true}, func(int) (fabric, error) { return end(), nil })
	startAll(t, all)
	var running sync.WaitGroup
	for rank := 1; rank <= from; rank++ {
		running.Go(func() {
			p := all[rank].Port(rank)
			for i := range count {
				bytes := []int{0, 8, 1000, eagerMax, eagerMax + 1, 100_000}[i%6]
				f := netiotest.Frame(p, netio.Data, rank, 0, bytes)
				f.Seq = uint64(i)
				for j := range f.Payload() {
					f.Payload()[j] = byte(i + j + rank)
				}
				p.Send(f)
				for p.Pool().Lent() > 1<<20 {
					p.Wait(time.Second)
				}
			}
			for p.Pool().Lent() > 0 {
				p.Wait(time.Second)
			}
		})
	}
	seen := map[[2]uint64]bool{}
	for p := all[0].Port(0); len(seen) < from*count; {
		f := p.Recv()
		if f == nil {
			p.Wait(time.Second)
			continue
		}
		key := [2]uint64{uint64(f.From), f.Seq}
		require.False(t, seen[key])
		seen[key] = true
		for j, b := range f.Payload() {
			if b != byte(int(f.Seq)+j+int(f.From)) {
				t.Fatalf("byte %d of frame %d of rank %d", j, f.Seq, f.From)
			}
		}
		f.Release()
	}
	running.Wait()
	closeAll(t, all)
	return all
}

func closeAll(t *testing.T, all []process) { require.NoError(t, netiotest.CloseAll(all)) }

// TestProvidersDiffer gives two processes different providers.
func TestProvidersDiffer(t *testing.T) {
	w := &Way{fabric: (&loopback{}).open(), place: netio.PlaceOf(2, 2, 0), peers: make([]*peer, 2)}
	require.ErrorContains(t, w.connect(1, `{"Provider":"tcp"}`),
		"it uses provider tcp, this one loopback: give both the same --provider")
}

// TestTooLittleMemory allows less pinned memory than the way needs at first.
func TestTooLittleMemory(t *testing.T) {
	c := &way.Config{Place: netio.PlaceOf(2, 2, 0), Log: slog.New(slog.DiscardHandler)}
	_, err := open(c, (&loopback{}).open(), Options{Pinned: 1 << 20})
	require.ErrorContains(t, err, "raise --pinned, or `ulimit -l`")
}

// TestPacket requires that the head of a packet transports its fields to members, and rejects damage.
func TestPacket(t *testing.T) {
	packet := make([]byte, packetHead+64)
	want := head{
		token: 7, process: 3, limit: 1 << 40, bytes: uint32(len(packet)),
		records: 2, releases: 5, short: true, taken: 6,
	}
	want.seal(packet)
	got, member, err := unseal(packet, 7)
	require.NoError(t, err)
	require.True(t, member)
	require.Equal(t, want, got)
	_, member, _ = unseal(packet, 8)
	require.False(t, member)
	packet[50]++
	_, member, err = unseal(packet, 7)
	require.True(t, member)
	require.ErrorIs(t, err, netio.ErrDamaged)
}

// TestProvidersThatAnybodyReaches requires that such providers stay on the host unless the user allows otherwise, even
// if libfabric has chosen one.
func TestProvidersThatAnybodyReaches(t *testing.T) {
	here := &way.Config{Addresses: []string{"127.0.0.1:1", "127.0.0.2:1"}}
	there := &way.Config{Addresses: []string{"127.0.0.1:1", "10.0.0.2:1"}}
	require.NoError(t, mayLeave("tcp;ofi_rxm", here, false))
	require.NoError(t, mayLeave("tcp;ofi_rxm", there, true))
	require.NoError(t, mayLeave("verbs;ofi_rxm", there, false))
	require.ErrorContains(t, mayLeave("tcp;ofi_rxm", there, false), "10.0.0.2:1 is not on this host: say --insecure")
	require.Error(t, mayLeave("net", there, false))
}
