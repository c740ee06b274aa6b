package netio_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
	"github.com/activepebbles/pebbles/netio"
)

func TestFramesAreRoomyAlignedAndClean(t *testing.T) {
	p := netio.NewPool(nil)
	for range 2 { // new, then used
		for _, n := range []int{0, 1, 255, 256, 257, 4096, 8192, 8193, 1 << 20} {
			f := p.Get(n)
			require.Equal(t, netio.Header{}, f.Header)
			require.GreaterOrEqual(t, len(f.Space()), n)
			require.Zero(t, uintptr(f.Base())%64)
			require.Equal(t, unsafe.Pointer(&f.Space()[0]), f.Base())
			f.Bytes = uint32(n)
			require.Len(t, f.Payload(), n)
			f.Tag, f.Seq = 7, 7
			f.Release()
		}
	}
}

// TestPoolCounts compares the counts with a plain sum.
func TestPoolCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := netio.NewPool(nil)
		var lent []*netio.Frame
		var sum, peak int64
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if len(lent) == 0 || rapid.Bool().Draw(t, "get") {
				n := rapid.IntRange(0, 5000).Draw(t, "bytes")
				lent = append(lent, p.Get(n))
				sum += netio.FrameCost(n)
			} else {
				i := rapid.IntRange(0, len(lent)-1).Draw(t, "which")
				sum -= netio.FrameCost(len(lent[i].Space()))
				lent[i].Release()
				lent = append(lent[:i], lent[i+1:]...)
			}
			require.Equal(t, sum, p.Lent())
			peak = max(peak, sum)
			require.GreaterOrEqual(t, p.Peak(), peak)
			require.LessOrEqual(t, p.Lent()+p.Idle(), p.Peak())
		}
		p.Trim()
		require.Equal(t, sum, p.Lent())
		require.Zero(t, p.Idle())
	})
}

func TestPoolInSteadyStateAllocatesNothing(t *testing.T) {
	p := netio.NewPool(nil)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		f, g := p.Get(1000), p.Get(9000)
		f.Release()
		g.Release()
	}))
}

// TestChargeIsTakenOffOnce uses the memory of a frame that was charged again.
func TestChargeIsTakenOffOnce(t *testing.T) {
	p := netio.NewPool(nil)
	var account netio.Account
	for range 3 {
		f := p.Get(1)
		f.Charge(&account)
		require.EqualValues(t, 1, account.InFlight())
		f.Release()
		require.EqualValues(t, 1, account.InFlight(), "not yet collected")
		require.Zero(t, p.Lent())
		require.Zero(t, account.InFlight())
		p.Get(1).Release()
		p.Lent()
		require.Zero(t, account.InFlight(), "this one was not charged")
	}
}

// counting counts the frames that are returned.
type counting struct {
	netio.Heap
	returns *atomic.Int64
}

func (c counting) Release(p *netio.Pool, f *netio.Frame) {
	p.TakeBack(f)
	c.returns.Add(1)
}

// TestManyRelease lets many goroutines release frames while the owner gets others.
func TestManyRelease(t *testing.T) {
	const releasers, count = 4, 20000
	var returns atomic.Int64
	p := netio.NewPool(counting{returns: &returns})
	away := make(chan *netio.Frame, 64)
	var all sync.WaitGroup
	for range releasers {
		all.Go(func() {
			for f := range away {
				f.Space()[0]++ // the race detector sees two owners
				f.Release()
			}
		})
	}
	for i := range count {
		f := p.Get(i * 7 % 1000)
		f.Space()[0]++
		away <- f
	}
	close(away)
	all.Wait()
	require.Zero(t, p.Lent())
	require.EqualValues(t, count, returns.Load())
}

// TestSpread compares with dealing ranks out one by one, for all small jobs.
func TestSpread(t *testing.T) {
	for ranks := range 40 {
		for processes := 1; processes <= 12; processes++ {
			next, least, most := 0, ranks, 0
			for process := range processes {
				first, last := netio.Spread(ranks, processes, process)
				require.Equal(t, next, first)
				for rank := first; rank < last; rank++ {
					require.Equal(t, process, netio.PlaceOf(ranks, processes, 0).ProcessOf(rank))
				}
				next, least, most = last, min(least, last-first), max(most, last-first)
			}
			require.Equal(t, ranks, next)
			require.LessOrEqual(t, most-least, 1)
		}
	}
	require.Panics(t, func() { netio.Spread(4, 2, 2) })
	require.Panics(t, func() { netio.Spread(4, 0, 0) })
}
