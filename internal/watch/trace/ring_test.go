package trace

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// numbered returns an event whose parts all derive from its number.
func numbered(i uint64) *event {
	return &event{time.Duration(i), time.Duration(2 * i), 3 * i, 4 * i, Name(i), uint32(i), Kind(i), i%2 == 1}
}

// TestRingOfTwoGoroutines requires that events that are taken out during insertions come once, whole and in order, and
// that the others are counted.
func TestRingOfTwoGoroutines(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			const all = 100_000
			r := &ring{slots: new([ringSize]event)}
			var over atomic.Bool
			var putting sync.WaitGroup
			putting.Go(func() {
				defer over.Store(true)
				for i := range uint64(all) {
					if e := r.slot(); e != nil {
						*e = *numbered(i)
						r.push()
					}
					if i%1000 == 0 {
						runtime.Gosched()
					}
				}
			})
			taken, next := uint64(0), uint64(0)
			for done := false; !done; {
				done = over.Load()
				r.drain(func(e *event) {
					i := uint64(e.begin)
					if i < next {
						t.Errorf("event %d comes after event %d", i, next-1)
					}
					if *e != *numbered(i) {
						t.Errorf("event %d is torn", i)
					}
					next = i + 1
					taken++
				})
				runtime.Gosched()
			}
			putting.Wait()
			require.Equal(t, uint64(all), taken+r.lost.Load())
			require.GreaterOrEqual(t, taken, uint64(ringSize))
		})
	}
}

func TestFullRing(t *testing.T) {
	f := create(t, configOf(0, 1, 2))
	for i := range uint64(ringSize + 100) {
		f.Rank(0).Slice(Wait, 1, time.Duration(i), time.Duration(i), i, None)
	}
	f.Rank(1).Slice(Wait, 1, 0, 0, 0, None)
	require.NoError(t, f.Drain())
	for i := range uint64(ringSize + 11) {
		f.Rank(1).Slice(Wait, 1, time.Duration(i), time.Duration(i), i, None)
	}
	f.Rank(0).Slice(Wait, 1, ringSize, ringSize, ringSize, None) // the ring has room again
	p := finished(t, f)
	require.Len(t, p.events, 2*ringSize+2)
	seen := map[string]uint64{}
	for _, e := range p.events[1:] {
		seen[e.rank] = max(seen[e.rank], e.numbers["parks"])
	}
	require.Equal(t, map[string]uint64{"rank 0": ringSize, "rank 1": ringSize - 1}, seen)
	var dropped []uint64
	for _, s := range p.said[1:] {
		dropped = append(dropped, s.numbers["ring was full"])
	}
	require.Equal(t, []uint64{100, 111}, dropped)
}

// TestRanksWhileDraining lets ranks record and sample events while one goroutine drains.
func TestRanksWhileDraining(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			f := create(t, configOf(0, 1, 4))
			f.now = stepping(window)
			var telling sync.WaitGroup
			var kept atomic.Uint64
			for rank := range f.ranks {
				telling.Go(func() {
					r := f.Rank(rank)
					for i := range time.Duration(12_000) {
						if r.Sampled() {
							r.Slice(Handler, 1, 2*i, 2*i+1, 1, 2)
							kept.Add(1)
						}
						if i%1000 == 0 {
							r.Slice(Epoch, 2, i, i+1, 3, 4)
							kept.Add(1)
							runtime.Gosched()
						}
					}
				})
			}
			over := make(chan struct{})
			go func() { telling.Wait(); close(over) }()
			for done := false; !done; {
				select {
				case <-over:
					done = true
				default:
				}
				require.NoError(t, f.Drain())
				f.Counter(0, "x", 1, 1)
			}
			lost := uint64(0)
			p := finished(t, f)
			if len(p.said) > 1 {
				lost = p.said[len(p.said)-1].numbers["ring was full"]
			}
			require.Equal(t, kept.Load(), uint64(len(p.events))+lost)
		})
	}
}

// stepping returns a clock that advances by a step at each look.
func stepping(step time.Duration) func() time.Time {
	at := time.Now()
	return func() time.Time {
		at = at.Add(step)
		return at
	}
}
