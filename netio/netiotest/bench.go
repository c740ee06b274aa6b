package netiotest

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// Next receives a frame. PingPong sends one frame back and forth b.N times, between rank 0 and rank 1. idle is what a
// rank does while nothing comes.
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

// Stream sends b.N frames one way, of so many bytes each, with 4 MiB lent at most. The receiver adds up a number of
// each, so that the sum shows that all came.
func Stream(b *testing.B, p, q netio.Port, bytes int) { StreamWithin(b, p, q, bytes, 4<<20) }

// AbsentOwner measures gets of 8 bytes, one after the other, by rank 0 at p from what q has exposed, while q's owner
// computes for 20 ms at a time and makes no call but one between. It reports their median and the longest.
func AbsentOwner(b *testing.B, p, q netio.Port) {
	at, _, err := q.OneSided().Expose(8)
	if err != nil {
		b.Fatal(err)
	}
	var over atomic.Bool
	var owner sync.WaitGroup
	owner.Go(func() {
		for !over.Load() {
			for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end) && !over.Load(); {
			}
			if f := q.Recv(); f != nil {
				f.Release()
			}
		}
	})
	took := make([]time.Duration, b.N)
	var c netio.Completion
	word := make([]byte, 8)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range took {
		begin := time.Now()
		p.OneSided().Get(at, word, &c)
		for !c.Done() {
			if f := p.Recv(); f != nil {
				f.Release()
			} else if !c.Done() {
				p.Pause()
			}
		}
		took[i] = time.Since(begin)
	}
	b.StopTimer()
	over.Store(true)
	owner.Wait()
	if c.Err() != nil {
		b.Fatal(c.Err())
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "median-ns")
	b.ReportMetric(float64(took[len(took)-1]), "longest-ns")
}

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
