package mem_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/netio"
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

func BenchmarkMemPingPong(b *testing.B) {
	m := mem.New(2)
	netiotest.PingPong(b, m.Port(0), m.Port(1), netio.Data, netiotest.Wait)
}

func BenchmarkMemStream(b *testing.B) {
	m := mem.New(2)
	netiotest.Stream(b, m.Port(0), m.Port(1), 8<<10)
}
