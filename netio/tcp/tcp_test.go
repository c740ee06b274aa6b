package tcp_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

func TestTCPConforms(t *testing.T) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		return netiotest.Interfaces(dialAll(t, netiotest.Configs(t, ranks, processes)))
	})
}

// TestConnectedTCPConforms uses ConnectNeed.
func TestConnectedTCPConforms(t *testing.T) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		return netiotest.Interfaces(dialAll(t, sparing(netiotest.Configs(t, ranks, processes))))
	})
}

// sparing sets ConnectNeed on all processes.
func sparing(cs []tcp.Config) []tcp.Config {
	for i := range cs {
		cs[i].Connect = tcp.ConnectNeed
	}
	return cs
}

// TestServedTCPConforms makes goroutines serve the streams, as on systems without polling.
func TestServedTCPConforms(t *testing.T) {
	netiotest.RunLargest(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		cs := netiotest.Configs(t, ranks, processes)
		for i := range cs {
			cs[i].Serve()
		}
		return netiotest.Interfaces(dialAll(t, cs))
	}, nil)
}

// TestEncryptedTCPConforms uses TLS on the streams, which goroutines serve.
func TestEncryptedTCPConforms(t *testing.T) {
	netiotest.RunLargest(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		cs := netiotest.Configs(t, ranks, processes)
		for i := range cs {
			cs[i].TLS = true
		}
		return netiotest.Interfaces(dialAll(t, cs))
	}, netiotest.Except{
		"SteadyStateAllocatesNothing": records, "OneSidedAllocatesNothing": records,
	})
}

const records = "crypto/tls allocates for each record"

// dialAll starts all processes of a job.
func dialAll(t testing.TB, cs []tcp.Config) []*tcp.Transport {
	return netiotest.StartAll(t, cs, func(_ int, c tcp.Config) (*tcp.Transport, error) { return tcp.Dial(t.Context(), c) })
}

func tryAll(ctx context.Context, cs []tcp.Config) ([]*tcp.Transport, []error) {
	return netiotest.TryAll(cs, func(_ int, c tcp.Config) (*tcp.Transport, error) { return tcp.Dial(ctx, c) })
}

// Notes arrive intact, in the order of sending, while no rank looks at its port.
func TestNotes(t *testing.T) {
	job := dialAll(t, netiotest.Configs(t, 2, 2))
	type note struct {
		from int
		text []byte
	}
	arrived := make(chan note, 16)
	job[1].Notes(func(process int, text []byte) { arrived <- note{process, bytes.Clone(text)} })
	for _, p := range job {
		p.Start(func(error) {})
	}
	var sent [][]byte
	for _, n := range []int{0, 1, 100, 64 << 10, netio.NoteBytesMax} {
		text := bytes.Repeat([]byte{byte(n)}, n)
		sent = append(sent, text)
		job[0].Note(1, text)
	}
	job[0].Note(1, make([]byte, netio.NoteBytesMax+1)) // dropped
	job[0].Note(1, []byte("last"))
	for _, text := range append(sent, []byte("last")) {
		got := <-arrived
		require.Equal(t, 0, got.from)
		require.True(t, bytes.Equal(text, got.text))
	}
	job[1].Note(0, []byte("nobody takes it"))
	require.NoError(t, netiotest.CloseAll(job))
	job[0].Note(1, []byte("too late"))
}
