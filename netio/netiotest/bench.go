package netiotest

import (
	"fmt"
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

// Benchmark measures frames between two ranks that pair connects, and ends with the benchmark: back and forth, by ranks
// that wait and by ranks that pause, one way, and one way within a credit of few frames; and gets from an owner that
// computes.
func Benchmark(b *testing.B, pair func(b *testing.B) (p, q netio.Port)) {
	run := func(name string, measure func(b *testing.B, p, q netio.Port)) {
		b.Run(name, func(b *testing.B) {
			p, q := pair(b)
			b.ReportAllocs()
			b.ResetTimer()
			measure(b, p, q)
			b.StopTimer()
		})
	}
	for name, kind := range map[string]netio.Kind{"control": netio.Control, "data": netio.Data} {
		run("ping-pong, "+name, func(b *testing.B, p, q netio.Port) { pingPongs(b, p, q, kind, Wait) })
	}
	run("ping-pong, pausing", func(b *testing.B, p, q netio.Port) { pingPongs(b, p, q, netio.Data, netio.Port.Pause) })
	run("stream", func(b *testing.B, p, q netio.Port) { stream(b, p, q, 4<<20) })
	for _, frames := range []int64{1, 4, 16, 64} {
		run(fmt.Sprintf("stream, credit %d", frames), func(b *testing.B, p, q netio.Port) {
			stream(b, p, q, frames*netio.FrameCost(streamBytes))
		})
	}
	run("absent owner", absentOwner)
}

// pingPongs sends one frame back and forth b.N times, between rank 0 and rank 1. idle is what a rank does while nothing
// comes.
func pingPongs(b *testing.B, p, q netio.Port, kind netio.Kind, idle func(netio.Port)) {
	var other sync.WaitGroup
	other.Go(func() {
		for range b.N {
			NextBy(q, idle).Release()
			q.Send(Frame(q, kind, 1, 0, 64))
		}
	})
	for range b.N {
		p.Send(Frame(p, kind, 0, 1, 64))
		NextBy(p, idle).Release()
	}
	other.Wait()
}

const streamBytes = 8 << 10 // of a frame

// stream sends b.N frames one way, within a budget of bytes lent. The receiver adds up a number of each, so that the
// sum shows that all came.
func stream(b *testing.B, p, q netio.Port, budget int64) {
	var other sync.WaitGroup
	b.SetBytes(streamBytes)
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
		f := Frame(p, netio.Data, 0, 1, streamBytes)
		f.Seq = uint64(i)
		p.Send(f)
	}
	other.Wait()
}

// absentOwner measures gets of 8 bytes, one after the other, by rank 0 at p from what q has exposed, while q's owner
// computes for 20 ms at a time and makes no call but one between. It reports their median and the longest.
func absentOwner(b *testing.B, p, q netio.Port) {
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
	over.Store(true)
	owner.Wait()
	if c.Err() != nil {
		b.Fatal(c.Err())
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "median-ns")
	b.ReportMetric(float64(took[len(took)-1]), "longest-ns")
}
