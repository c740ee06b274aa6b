package trace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func newRank() *Rank {
	r := &Rank{sampler: newSampler(new(windows), 0)}
	r.slots = new([ringSize]event)
	return r
}

func BenchmarkSlice(b *testing.B) {
	r := newRank()
	b.ReportAllocs()
	for i := range b.N {
		if i%ringSize == 0 {
			r.tail.Store(r.head.Load()) // the ring always has room
		}
		r.Slice(Handler, 1, time.Duration(i), time.Duration(i+1), 2, 3)
	}
}

func BenchmarkSliceOfFullRing(b *testing.B) {
	r := newRank()
	b.ReportAllocs()
	for i := range b.N {
		r.Slice(Handler, 1, time.Duration(i), time.Duration(i+1), 2, 3)
	}
}

func BenchmarkSampled(b *testing.B) {
	r := newRank()
	b.ReportAllocs()
	for range b.N {
		r.Sampled()
	}
}

// BenchmarkDrain measures the drainer's cost per event, including the disk.
func BenchmarkDrain(b *testing.B) {
	c := configOf(0, 1, 1)
	c.Bytes = 1 << 40
	f := create(b, c)
	b.ReportAllocs()
	for i := range b.N {
		f.Rank(0).Slice(Handler, Name(i%100), time.Duration(2*i), time.Duration(2*i+1), 2, 3)
		if i%ringSize == ringSize-1 {
			require.NoError(b, f.Drain())
		}
	}
	require.NoError(b, f.Close())
	b.SetBytes(f.size / int64(b.N))
}

func TestNoAllocations(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	r := f.Rank(0)
	at := time.Duration(0)
	require.Zero(t, testing.AllocsPerRun(20_000, func() {
		at++
		if r.Sampled() {
			r.Slice(Handler, 1, at, at, 2, 3)
		}
		r.Instant(Other, 1, at, 2, 3) // most find a full ring
	}))
	require.NoError(t, f.Drain())
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		at += 2
		r.Slice(Handler, 1, at, at+1, 1<<40, 3)
		require.NoError(t, f.Drain())
	}), "draining")
	require.NoError(t, f.Close())
}
