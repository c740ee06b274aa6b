package netio_test

import (
	"sync"
	"testing"

	"github.com/activepebbles/pebbles/netio"
)

func BenchmarkShmPingPong(b *testing.B) {
	for name, kind := range map[string]netio.Kind{"control": netio.Control, "data": netio.Data} {
		b.Run(name, func(b *testing.B) {
			all := dialShm(b, configs(b, 2, 2))
			pingPong(b, all[0].Port(0), all[1].Port(1), kind, wait)
			b.StopTimer()
			closeShm(all)
		})
	}
}

// BenchmarkShmPausingPingPong has ranks that pause, and never wait for long.
func BenchmarkShmPausingPingPong(b *testing.B) {
	all := dialShm(b, configs(b, 2, 2))
	pingPong(b, all[0].Port(0), all[1].Port(1), netio.Data, netio.Port.Pause)
	b.StopTimer()
	closeShm(all)
}

// BenchmarkShmStream sends frames of 8 KiB one way.
func BenchmarkShmStream(b *testing.B) {
	all := dialShm(b, configs(b, 2, 2))
	streamWithin(b, all[0].Port(0), all[1].Port(1), 8<<10, 1<<20)
	b.StopTimer()
	closeShm(all)
}

func closeShm(all []*netio.Shm) {
	var running sync.WaitGroup
	for _, tr := range all {
		running.Go(func() { tr.Close() })
	}
	running.Wait()
}
