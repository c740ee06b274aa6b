package tcp_test

import (
	"fmt"
	"testing"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

func BenchmarkTCPPingPong(b *testing.B) {
	for name, kind := range map[string]netio.Kind{"control": netio.Control, "data": netio.Data} {
		b.Run(name, func(b *testing.B) {
			all := dialAll(b, netiotest.Configs(b, 2, 2))
			netiotest.PingPong(b, all[0].Port(0), all[1].Port(1), kind, netiotest.Wait)
			b.StopTimer()
			_ = netiotest.CloseAll(all)
		})
	}
}

// BenchmarkTCPPausingPingPong has ranks that pause, and never wait for long.
func BenchmarkTCPPausingPingPong(b *testing.B) {
	all := dialAll(b, netiotest.Configs(b, 2, 2))
	netiotest.PingPong(b, all[0].Port(0), all[1].Port(1), netio.Control, netio.Port.Pause)
	b.StopTimer()
	_ = netiotest.CloseAll(all)
}

// BenchmarkTCPStream sends frames of 8 KiB one way. Receivers add up a word of each, so that the sum shows that all
// came.
func BenchmarkTCPStream(b *testing.B) {
	all := dialAll(b, netiotest.Configs(b, 2, 2))
	netiotest.Stream(b, all[0].Port(0), all[1].Port(1), 8<<10)
	b.StopTimer()
	_ = netiotest.CloseAll(all)
}

// BenchmarkTCPAbsentOwner has rank 0 get from rank 1, which computes.
func BenchmarkTCPAbsentOwner(b *testing.B) {
	all := dialAll(b, netiotest.Configs(b, 2, 2))
	netiotest.AbsentOwner(b, all[0].Port(0), all[1].Port(1))
	_ = netiotest.CloseAll(all)
}

// BenchmarkTCPCredit is the same for senders that let themselves have only a few frames in flight.
func BenchmarkTCPCredit(b *testing.B) {
	for _, frames := range []int64{1, 4, 16, 64} {
		b.Run(fmt.Sprint(frames), func(b *testing.B) {
			all := dialAll(b, netiotest.Configs(b, 2, 2))
			netiotest.StreamWithin(b, all[0].Port(0), all[1].Port(1), 8<<10, frames*netio.FrameCost(8<<10))
			b.StopTimer()
			_ = netiotest.CloseAll(all)
		})
	}
}
