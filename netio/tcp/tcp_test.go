package tcp_test

import (
	"context"
	"fmt"
	"os"
	"testing"

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

func TestTCPConforms(t *testing.T) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		return netiotest.Interfaces(dialAll(t, netiotest.Configs(t, ranks, processes)))
	})
}

// TestServedTCPConforms has goroutines serve the streams, as where sockets can't be polled.
func TestServedTCPConforms(t *testing.T) {
	netiotest.RunSome(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		cs := netiotest.Configs(t, ranks, processes)
		for i := range cs {
			cs[i].Serve()
		}
		return netiotest.Interfaces(dialAll(t, cs))
	})
}

// dialAll starts all processes of a job.
func dialAll(t testing.TB, cs []tcp.Config) []*tcp.Transport {
	return netiotest.StartAll(t, cs, func(_ int, c tcp.Config) (*tcp.Transport, error) { return tcp.Dial(t.Context(), c) })
}

func tryAll(ctx context.Context, cs []tcp.Config) ([]*tcp.Transport, []error) {
	return netiotest.TryAll(cs, func(_ int, c tcp.Config) (*tcp.Transport, error) { return tcp.Dial(ctx, c) })
}
