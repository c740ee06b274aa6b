package netio_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

func TestMain(m *testing.M) {
	if os.Getenv(rivalVariable) != "" {
		rival()
	}
	if what := os.Getenv(partnerVariable); what != "" {
		if err := bePartner(what); err != nil {
			fmt.Fprintln(os.Stderr, "partner:", err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func TestMemConforms(t *testing.T) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		if processes > 1 {
			t.Skip("mem is for one process")
		}
		return []netio.Transport{netio.NewMem(ranks)}
	})
}

func TestTCPConforms(t *testing.T) { tcpConforms(t, false) }

// TestServedTCPConforms has goroutines serve the lanes, as where sockets can't be polled.
func TestServedTCPConforms(t *testing.T) { tcpConforms(t, true) }

func tcpConforms(t *testing.T, served bool) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		if served && processes == 1 {
			t.Skip("there are no lanes")
		}
		var all []netio.Transport
		cs := configs(t, ranks, processes)
		for i := range cs {
			if served {
				cs[i].Serve()
			}
		}
		for _, tr := range dialAll(t, cs) {
			all = append(all, tr)
		}
		return all
	})
}

// configs are those of all processes of a job, over loopback.
func configs(t testing.TB, ranks, processes int) []netio.TCPConfig {
	listeners := make([]net.Listener, processes)
	addresses := make([]string, processes)
	for i := range listeners {
		l, err := netio.ListenTCP("")
		require.NoError(t, err)
		listeners[i], addresses[i] = l, l.Addr().String()
	}
	all := make([]netio.TCPConfig, processes)
	for i := range all {
		all[i] = netio.TCPConfig{
			Job: "test", Secret: secret(1), Place: netio.PlaceOf(ranks, processes, i), Listener: listeners[i],
			Addresses: addresses, Identity: identity(),
		}
	}
	return all
}

func secret(b byte) []byte {
	s := make([]byte, 32)
	for i := range s {
		s[i] = b
	}
	return s
}

func identity() handshake.Identity {
	return handshake.Identity{Protocol: handshake.Protocol, Build: "b", ByteOrder: "little", Registry: "r"}
}

// dialAll starts all processes of a job.
func dialAll(t testing.TB, cs []netio.TCPConfig) []*netio.TCP {
	all, errs := tryAll(t.Context(), cs)
	for _, err := range errs {
		require.NoError(t, err)
	}
	return all
}

func tryAll(ctx context.Context, cs []netio.TCPConfig) ([]*netio.TCP, []error) {
	all, errs := make([]*netio.TCP, len(cs)), make([]error, len(cs))
	var running sync.WaitGroup
	for i, c := range cs {
		running.Go(func() { all[i], errs[i] = netio.DialTCP(ctx, c) })
	}
	running.Wait()
	return all, errs
}

func closeAll(t testing.TB, all []*netio.TCP) {
	var running sync.WaitGroup
	for _, tr := range all {
		running.Go(func() { tr.Close() })
	}
	running.Wait()
}
