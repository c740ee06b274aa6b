package mem_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemConforms(t *testing.T) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		if processes > 1 {
			t.Skip("mem is for one process")
		}
		return []netio.Transport{mem.New(ranks)}
	})
}

// TestPausesOfALoneRank requires that a rank with its own core looks for a long time before it yields, and sees
// arrivals meanwhile.
func TestPausesOfALoneRank(t *testing.T) {
	p := mem.New(1).Port(0)
	for range 3 * idle.MemYieldEvery {
		p.Pause()
		require.Nil(t, p.Recv())
	}
	netiotest.Send(p, 0, 0, 8)
	p.Pause()
	require.NotNil(t, p.Recv())
}
