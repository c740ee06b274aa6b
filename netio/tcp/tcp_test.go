package tcp_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

func TestMain(m *testing.M) {
	if what := os.Getenv(partnerVariable); what != "" {
		if err := bePartner(what); err != nil {
			fmt.Fprintln(os.Stderr, "partner:", err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
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
		cs := netiotest.Configs(t, ranks, processes)
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

// TestServedTCPConforms has goroutines serve the lanes, as where sockets can't be polled.
// dialAll starts all processes of a job.
func dialAll(t testing.TB, cs []tcp.Config) []*tcp.Transport {
	all, errs := tryAll(t.Context(), cs)
	for _, err := range errs {
		require.NoError(t, err)
	}
	return all
}

func tryAll(ctx context.Context, cs []tcp.Config) ([]*tcp.Transport, []error) {
	all, errs := make([]*tcp.Transport, len(cs)), make([]error, len(cs))
	var running sync.WaitGroup
	for i, c := range cs {
		running.Go(func() { all[i], errs[i] = tcp.Dial(ctx, c) })
	}
	running.Wait()
	return all, errs
}

func closeAll(t testing.TB, all []*tcp.Transport) {
	var running sync.WaitGroup
	for _, tr := range all {
		running.Go(func() { tr.Close() })
	}
	running.Wait()
}
