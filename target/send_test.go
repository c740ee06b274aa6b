package target_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// A program that seldom sends need not send many pebbles, nor poll, before those that are due leave.
func TestSinglePebblesOfASlowSenderAreDue(t *testing.T) {
	const between = 20 * time.Millisecond // of two pebbles
	var handled time.Duration
	world, soon := sim.Config{Ranks: 2}, pebble.Config{Due: time.Millisecond}
	require.NoError(t, appstest.Simulate(t, world, soon, func(r *pebble.Rank) error {
		number := numbers(r, "number", distribution.Cyclic(2, 2), func(uint64) {
			if handled == 0 {
				handled = r.Now()
			}
		})
		began := r.Now()
		return r.Epoch(func() error {
			for range target.SendBufferMax / 2 {
				if r.ID() != 0 || handled != 0 {
					return nil
				}
				number.Send(1)
				r.Compute(between)
			}
			if waited := r.Now() - began; waited > 3*between {
				return errors.New("pebbles wait until the stage is full")
			}
			return nil
		})
	}))
	require.Positive(t, handled)
}

// A rank that sends only to itself handles pebbles of others meanwhile: otherwise they would wait for credit until its
// end.
func TestSendersToThemselvesServeOthers(t *testing.T) {
	for name, send := range map[string]func(number *target.Target[uint64], v uint64){
		"single":  (*target.Target[uint64]).Send,
		"batches": func(number *target.Target[uint64], v uint64) { number.SendAll([]uint64{v, v, v}) },
	} {
		t.Run(name, func(t *testing.T) {
			fromOther := false
			world, soon := sim.Config{Ranks: 2}, pebble.Config{Due: time.Millisecond}
			require.NoError(t, appstest.Simulate(t, world, soon, func(r *pebble.Rank) error {
				number := numbers(r, "number", distribution.Cyclic(4, 2), func(v uint64) {
					fromOther = fromOther || v == 2
				})
				return r.Epoch(func() error {
					if r.ID() == 1 {
						number.Send(2)
						return nil
					}
					for range 1000 {
						if fromOther {
							return nil
						}
						send(number, 0)
						r.Compute(time.Millisecond)
					}
					return errors.New("a second of own pebbles, and none of the other rank's was handled")
				})
			}))
		})
	}
}

// Single sends of the main function gather up to SendBufferMax pebbles, and fewer large ones.
func TestSingleSendsGather(t *testing.T) {
	require.Equal(t, target.SendBufferMax, gathered[uint64](t))
	require.Equal(t, target.SendBufferMax, gathered[[64]byte](t))
	require.Equal(t, 16, gathered[[1024]byte](t))
	require.Equal(t, 1, gathered[[16 << 10]byte](t))
}

// gathered returns the number of pebbles of a type that a rank sends to itself before it handles them.
func gathered[V any](t *testing.T) (sends int) {
	handled := 0
	job(t, pebble.Config{Ranks: 1, Due: -1}, func(r *pebble.Rank) error {
		own := target.New(r, "own", distribution.Ranks(1), target.Key(func(V) uint64 { return 0 }),
			target.Each(func(V) { handled++ }))
		return epoch(r, func() {
			var v V
			for handled == 0 && sends <= target.SendBufferMax {
				own.Send(v)
				sends++
			}
		})
	})
	require.Equal(t, sends, handled)
	return sends
}

// A program whose next pebble waits for the answer to the last would never continue, with its pebbles in buffers that
// do not fill. Periodic dispatch sends them when nothing has moved for a while (TRAM, section III.D).
func TestPeriodicDispatch(t *testing.T) {
	counters := job(t, pebble.Config{Ranks: 3, Due: -1, Period: 100 * time.Microsecond}, func(r *pebble.Rank) error {
		answered := 0
		answer := numbers(r, "answer", distribution.Ranks(3), func(uint64) { answered++ })
		question := target.New(r, "question", distribution.Ranks(3),
			target.Key(func(v [2]uint64) uint64 { return v[0] }),
			target.Each(func(v [2]uint64) { answer.Send(v[1]) }))
		return epoch(r, func() {
			for round := range 20 {
				question.Send([2]uint64{uint64(r.ID()+1) % 3, uint64(r.ID())})
				for answered <= round {
					r.Poll()
				}
			}
		}, pebble.Depth(2))
	})
	for _, c := range counters {
		require.Positive(t, c.FlushPeriodic)
	}
}

// A buffer holds 1,024 pebbles, or the number that 128 KiB hold if no factor was given.
func TestBuffersAreBoundedInBytes(t *testing.T) {
	type row struct{ Words [64]uint64 } // 512 bytes
	const rows = 4096
	for _, c := range []struct {
		config  pebble.Config
		options []target.Option
		factor  int
	}{
		{pebble.Config{}, nil, 256},
		{pebble.Config{Coalesce: 1024}, nil, 1024},
		{pebble.Config{Coalesce: 100}, nil, 100},
		{pebble.Config{}, []target.Option{target.Coalesce(1024)}, 1024},
		{pebble.Config{Tuning: &pebble.Tuning{Topology: true}}, nil, 256},
		{pebble.Config{Tuning: &pebble.Tuning{Coalesce: true}}, nil, 1024},
	} {
		c.config.Ranks, c.config.Due, c.config.BufferBudget = 2, -1, 64<<20
		got := make([]int, rows)
		counters := job(t, c.config, func(r *pebble.Rank) error {
			to := target.New(r, "rows", distribution.Ranks(2), target.Key(func(v row) uint64 { return v.Words[0] }),
				target.Each(func(v row) { got[v.Words[1]] += r.ID() }), c.options...)
			return epochOf(0, r, func() {
				for n := range uint64(rows) {
					to.Send(row{[64]uint64{1, n}})
				}
			})
		})
		require.Equal(t, slices.Repeat([]int{1}, rows), got, "each once, at rank 1")
		require.EqualValues(t, rows/c.factor, counters[0].FlushFull, "%+v", c)
		require.EqualValues(t, (rows+c.factor-1)/c.factor, counters[0].FramesSent, "%+v", c)
	}
}

// The memory of a target per neighbour is that of its documentation and lab/results/scale.md. The job is explained, so
// that only rank 0 exists.
func TestBytesOfANeighbor(t *testing.T) {
	const ranks = 1 << 12
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	var bytes float64
	c := pebble.Config{Ranks: ranks, MemoryLimit: 1 << 30, Explain: func(pebble.Explanation) {}}
	require.ErrorIs(t, run(t, c, func(r *pebble.Rank) error {
		before := heap()
		is := numbers(r, "is", distribution.Ranks(ranks), ignore)
		bytes = (heap() - before) / ranks
		runtime.KeepAlive(is)
		return epoch(r, func() {})
	}), pebble.ErrExplained)
	t.Logf("%.0f bytes a neighbour", bytes)
	require.InDelta(t, 160, bytes, 16)
}

// All pebbles that TrySend has taken arrive once, and no others; a caller that tries again succeeds in the end.
func TestTrySend(t *testing.T) {
	const each = 5_000
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for _, ranks := range []int{1, 2, 4} {
			got, refused := make([]int, ranks*each), make([]int, ranks)
			c := pebble.Config{Ranks: ranks, Topology: topology, Coalesce: 16, Credits: 1, BufferBudget: 4096}
			counters := job(t, c, func(r *pebble.Rank) error {
				owners := distribution.Cyclic(uint64(ranks*each), ranks)
				mark := numbers(r, "mark", owners, func(key uint64) { got[key]++ })
				return epoch(r, func() {
					for key := uint64(r.ID()) * each; key < uint64(r.ID()+1)*each; key++ {
						for !mark.TrySend(key) {
							refused[r.ID()]++
						}
					}
				})
			})
			require.Equal(t, slices.Repeat([]int{1}, ranks*each), got)
			for _, c := range counters {
				require.EqualValues(t, each, c.PebblesSent, "what was refused is not counted")
			}
			require.Equal(t, ranks > 1, slices.Max(refused) > 0, "with credit of one frame some must be refused")
		}
	}
}

// While another rank handles nothing, TrySend gives up without waiting, in the main function, in handlers and in tasks:
// this rank's main function then lets the other one handle.
func TestTrySendGivesUp(t *testing.T) {
	blocked, goes := make(chan struct{}), make(chan struct{})
	job(t, pebble.Config{Ranks: 2, Coalesce: 4, Credits: 1}, func(r *pebble.Rank) error {
		tasks := task.New(r)
		sink := numbers(r, "sink", distribution.Ranks(2), ignore)
		fromHandler := true
		poke := numbers(r, "poke", distribution.Ranks(2), func(uint64) { fromHandler = sink.TrySend(1) })
		return epoch(r, func() {
			if r.ID() == 1 {
				close(blocked)
				<-goes
				return
			}
			<-blocked
			sent := 0
			for sink.TrySend(1) {
				sent++
			}
			require.Positive(t, sent)
			poke.SendAll([]uint64{0})
			require.False(t, fromHandler, "a handler is refused too")
			tasks.Go(func() {
				require.False(t, sink.TrySend(1), "and a task")
				close(goes)
			})
		})
	})
}
