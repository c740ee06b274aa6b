package netiotest

import (
	"sync"
	"testing"

	"github.com/activepebbles/pebbles/netio"
)

// Wait waits without limit.
func Wait(p netio.Port) { p.Wait(-1) }

// Next receives a frame.
func Next(p netio.Port) *netio.Frame { return NextBy(p, Wait) }

// NextBy receives a frame, and calls idle while none comes.
func NextBy(p netio.Port, idle func(netio.Port)) *netio.Frame {
	for {
		if f := p.Recv(); f != nil {
			return f
		}
		idle(p)
	}
}

// Next receives a frame.
// PingPong sends one frame back and forth b.N times, between rank 0 and rank 1. idle is what a rank does while nothing comes.
func PingPong(b *testing.B, p, q netio.Port, kind netio.Kind, idle func(netio.Port)) {
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
			NextBy(q, idle).Release()
			send(q, 1, 0)
		}
	})
	for range b.N {
		send(p, 0, 1)
		NextBy(p, idle).Release()
	}
	other.Wait()
}

// Stream sends b.N frames one way, of so many bytes each, with 4 MiB lent at most. The receiver adds up a number of each, so that the sum shows that
// all came.
func Stream(b *testing.B, p, q netio.Port, bytes int) { StreamWithin(b, p, q, bytes, 4<<20) }

// StreamWithin is the same within a budget of bytes lent.
func StreamWithin(b *testing.B, p, q netio.Port, bytes int, budget int64) {
	var other sync.WaitGroup
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	b.ResetTimer()
	other.Go(func() {
		sum := uint64(0)
		for range b.N {
			f := Next(q)
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

// StreamWithin is the same within a budget of bytes lent.
