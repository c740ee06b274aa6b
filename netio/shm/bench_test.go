package shm_test

import (
	"testing"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

func BenchmarkShmPingPong(b *testing.B) {
	for name, kind := range map[string]netio.Kind{"control": netio.Control, "data": netio.Data} {
		b.Run(name, func(b *testing.B) {
			all := dialShm(b, netiotest.Configs(b, 2, 2))
			netiotest.PingPong(b, all[0].Port(0), all[1].Port(1), kind, netiotest.Wait)
			b.StopTimer()
			_ = netiotest.CloseAll(all)
		})
	}
}

// BenchmarkShmPausingPingPong has ranks that pause, and never wait for long.
func BenchmarkShmPausingPingPong(b *testing.B) {
	all := dialShm(b, netiotest.Configs(b, 2, 2))
	netiotest.PingPong(b, all[0].Port(0), all[1].Port(1), netio.Data, netio.Port.Pause)
	b.StopTimer()
	_ = netiotest.CloseAll(all)
}

// BenchmarkShmStream sends frames of 8 KiB one way.
func BenchmarkShmStream(b *testing.B) {
	all := dialShm(b, netiotest.Configs(b, 2, 2))
	netiotest.StreamWithin(b, all[0].Port(0), all[1].Port(1), 8<<10, 1<<20)
	b.StopTimer()
	_ = netiotest.CloseAll(all)
}

// BenchmarkShmAbsentOwner has rank 0 get from rank 1, which computes.
func BenchmarkShmAbsentOwner(b *testing.B) {
	all := dialShm(b, netiotest.Configs(b, 2, 2))
	netiotest.AbsentOwner(b, all[0].Port(0), all[1].Port(1))
	_ = netiotest.CloseAll(all)
}
