package netio_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/activepebbles/pebbles/netio"
)

func BenchmarkMemPingPong(b *testing.B) {
	m := netio.NewMem(2)
	pingPong(b, m.Port(0), m.Port(1), netio.Data, wait)
}

func BenchmarkTCPPingPong(b *testing.B) {
	for name, kind := range map[string]netio.Kind{"control": netio.Control, "data": netio.Data} {
		b.Run(name, func(b *testing.B) {
			all := dialAll(b, configs(b, 2, 2))
			pingPong(b, all[0].Port(0), all[1].Port(1), kind, wait)
			b.StopTimer()
			closeAll(b, all)
		})
	}
}

// BenchmarkTCPPausingPingPong has ranks that pause, and never wait for long.
func BenchmarkTCPPausingPingPong(b *testing.B) {
	all := dialAll(b, configs(b, 2, 2))
	pingPong(b, all[0].Port(0), all[1].Port(1), netio.Control, netio.Port.Pause)
	b.StopTimer()
	closeAll(b, all)
}

// BenchmarkTCPStream sends frames of 8 KiB one way. Receivers add up a word of each, so that the sum shows that all came.
func BenchmarkTCPStream(b *testing.B) {
	all := dialAll(b, configs(b, 2, 2))
	stream(b, all[0].Port(0), all[1].Port(1), 8<<10)
	b.StopTimer()
	closeAll(b, all)
}

// BenchmarkTCPCredit is the same for senders that let themselves have only a few frames under way.
func BenchmarkTCPCredit(b *testing.B) {
	for _, frames := range []int64{1, 4, 16, 64} {
		b.Run(fmt.Sprint(frames), func(b *testing.B) {
			all := dialAll(b, configs(b, 2, 2))
			streamWithin(b, all[0].Port(0), all[1].Port(1), 8<<10, frames*netio.FrameCost(8<<10))
			b.StopTimer()
			closeAll(b, all)
		})
	}
}

func BenchmarkMemStream(b *testing.B) {
	m := netio.NewMem(2)
	stream(b, m.Port(0), m.Port(1), 8<<10)
}

func wait(p netio.Port) { p.Wait(-1) }

func next(p netio.Port) *netio.Frame { return nextBy(p, wait) }

func nextBy(p netio.Port, idle func(netio.Port)) *netio.Frame {
	for {
		if f := p.Recv(); f != nil {
			return f
		}
		idle(p)
	}
}

func pingPong(b *testing.B, p, q netio.Port, kind netio.Kind, idle func(netio.Port)) {
	send := func(p netio.Port, from, to uint32) {
		f := p.Pool().Get(64)
		f.Kind, f.From, f.To, f.Bytes = kind, from, to, 64
		p.Send(f)
	}
	var other sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	other.Go(func() {
		for range b.N {
			nextBy(q, idle).Release()
			send(q, 1, 0)
		}
	})
	for range b.N {
		send(p, 0, 1)
		nextBy(p, idle).Release()
	}
	other.Wait()
}

func stream(b *testing.B, p, q netio.Port, bytes int) { streamWithin(b, p, q, bytes, 4<<20) }

func streamWithin(b *testing.B, p, q netio.Port, bytes int, budget int64) {
	var other sync.WaitGroup
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	b.ResetTimer()
	other.Go(func() {
		sum := uint64(0)
		for range b.N {
			f := next(q)
			sum += f.Seq
			f.Release()
		}
		if sum != uint64(b.N)*uint64(b.N-1)/2 {
			b.Errorf("checksum %d of %d frames", sum, b.N)
		}
	})
	for i := range b.N {
		for p.Pool().Lent() >= budget {
			p.Wait(-1)
		}
		f := p.Pool().Get(bytes)
		f.Kind, f.From, f.To, f.Bytes, f.Seq = netio.Data, 0, 1, uint32(bytes), uint64(i)
		p.Send(f)
	}
	other.Wait()
}
