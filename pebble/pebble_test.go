package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// run runs a job, and returns its error.
var run = appstest.Job

// job runs a job that must succeed.
func job(t testing.TB, c pebble.Config, f func(r *pebble.Rank) error) {
	t.Helper()
	require.NoError(t, run(t, c, f))
}

// epoch runs an epoch; all ranks send in it.
func epoch(r *pebble.Rank, send func(), options ...pebble.EpochOption) error {
	return r.Epoch(func() error { send(); return nil }, options...)
}

// epochOf runs an epoch; only one rank sends in it.
func epochOf(rank int, r *pebble.Rank, send func(), options ...pebble.EpochOption) error {
	return epoch(r, func() {
		if r.ID() == rank {
			send()
		}
	}, options...)
}

func idle(r *pebble.Rank) error { return epoch(r, func() {}) }

func ignore(uint64) {}

func sumOf(all []int) (sum int) {
	for _, n := range all {
		sum += n
	}
	return sum
}

// byRank is a target whose keys are ranks.
func byRank(r *pebble.Rank, name string, handle func(v uint64), options ...target.Option) *target.Target[uint64] {
	return target.New(r, name, distribution.Ranks(r.Size()),
		target.Key(func(v uint64) uint64 { return v % uint64(r.Size()) }), target.Each(handle), options...)
}

func TestRanksAndPlace(t *testing.T) {
	var seen [7]int
	job(t, pebble.Config{Ranks: 7}, func(r *pebble.Rank) error {
		seen[r.ID()]++
		require.Equal(t, 7, r.Size())
		require.Equal(t, "mem", r.Transport())
		require.Empty(t, r.Termination())
		require.Equal(t, 1, r.Place().Processes)
		return nil
	})
	require.Equal(t, [7]int{1, 1, 1, 1, 1, 1, 1}, seen)
}

// counting is a transport that sets the start of counts.
type counting struct {
	*mem.Transport
	from uint64
}

func (c counting) CountFrom() uint64 { return c.from }

// Counts of frames, epochs and collectives may wrap: only sums and equality of frames are used.
func TestCountersNearWraps(t *testing.T) {
	for _, start := range []uint64{1<<32 - 3, math.MaxUint64 - 3, math.MaxUint64/3 - 2, 1 << 63} {
		for _, ranks := range []int{1, 2, 3, 5, 8} {
			var handled atomic.Int64
			c := pebble.Config{Coalesce: 1}
			c.Transport = counting{mem.New(ranks), start}
			job(t, c, func(r *pebble.Rank) error {
				var chain *target.Target[uint64]
				chain = byRank(r, "chain", func(v uint64) {
					handled.Add(1)
					if v < 50 {
						chain.Send(v + 1)
					}
				})
				for range 3 {
					appstest.Epoch(r, func() { chain.Send(uint64(r.ID())) })
				}
				return nil
			})
			want := 0
			for r := range ranks {
				want += 3 * (51 - r)
			}
			require.EqualValues(t, want, handled.Load(), "%d ranks from %d", ranks, start)
		}
	}
}

// A frame of an epoch that a slow rank has not begun waits until that rank begins it.
func TestFastRanksWaitForSlowOnes(t *testing.T) {
	release := make(chan struct{})
	var early atomic.Bool
	job(t, pebble.Config{Ranks: 3, Coalesce: 1}, func(r *pebble.Rank) error {
		begun := false
		hit := byRank(r, "hit", func(uint64) {
			if !begun {
				early.Store(true)
			}
		})
		appstest.Epoch(r, func() { begun = true })
		begun = false
		if r.ID() == 2 {
			<-release
		}
		return epoch(r, func() {
			begun = true
			hit.Send(2)
			if r.ID() == 0 {
				close(release)
			}
		})
	})
	require.False(t, early.Load(), "a handler ran before its rank had begun the epoch")
}

func TestErrorEndsTheJobEverywhere(t *testing.T) {
	boom := errors.New("boom")
	var told atomic.Int32
	err := run(t, pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		err := r.Epoch(func() error {
			if r.ID() == 2 {
				return boom
			}
			return nil
		})
		if errors.Is(err, boom) {
			told.Add(1)
		}
		return err
	})
	require.ErrorIs(t, err, boom)
	require.EqualError(t, err, "rank 2: boom")
	require.EqualValues(t, 4, told.Load(), "Epoch must return the error on every rank")
}

// A panic in a handler of batches names the batch, and no pebble takes more than a line.
func TestPanicTellsThePebble(t *testing.T) {
	type long struct{ Key, A, B uint64 }
	said := func(handling target.Handling[long], n int) string {
		return run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			hit := target.New(r, "hit", distribution.Ranks(1), target.Key(func(long) uint64 { return 0 }), handling)
			return epoch(r, func() { hit.SendAll([]long{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}[:n]) })
		}).Error()[len("pebble_test.go:000: "):]
	}
	each := target.Each(func(v long) {
		if v.Key == 4 {
			panic("no fours")
		}
	})
	batch := target.Batch(func([]long) { panic("no batches") })
	const in = `rank 0 panicked in a handler of target "hit" with `
	require.Equal(t, in+"pebble {Key:4 A:5 B:6}: no fours", said(each, 3))
	require.Equal(t, in+"a batch of 3 pebbles from {Key:1 A:2 B:3} on: no batches", said(batch, 3))
	require.Equal(t, in+"pebble {Key:1 A:2 B:3}: no batches", said(batch, 1))
}

func TestGoexitIsAnError(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		if r.ID() == 0 {
			runtime.Goexit()
		}
		return nil
	})
	require.ErrorContains(t, err, "rank 0: its function left by runtime.Goexit")
}

func TestContextEndsTheJob(t *testing.T) {
	why := errors.New("enough")
	for _, before := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(context.Background())
		if before {
			cancel(why)
		}
		require.ErrorIs(t, pebble.Run(ctx, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			for {
				if err := r.Barrier(); err != nil {
					return err
				}
				cancel(why)
			}
		}), why)
	}
}

// The main function's sends wait for room instead of failing, however slow the receiver is.
func TestMainWaitsForRoom(t *testing.T) {
	const sends = 20000
	got, peak := 0, int64(0)
	c := pebble.Config{Ranks: 2, Coalesce: 64, BufferBudget: 4096, MemoryLimit: 64 << 10}
	job(t, c, func(r *pebble.Rank) error {
		hit := byRank(r, "hit", func(uint64) { got++ })
		err := epochOf(0, r, func() {
			for range sends {
				hit.Send(1)
			}
		})
		if r.ID() == 0 {
			peak = r.Memory().Peak
		}
		return err
	})
	require.Equal(t, sends, got)
	require.LessOrEqual(t, peak, int64(16<<10))
}

// Handlers never overlap and never run inside a handler's send.
func TestHandlersNeverOverlap(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		job(t, pebble.Config{Ranks: ranks, Coalesce: 3}, func(r *pebble.Rank) error {
			inside := 0
			var deep *target.Target[uint64]
			deep = byRank(r, "deep", func(v uint64) {
				inside++
				if inside != 1 {
					panic("a handler ran inside a handler")
				}
				if v > 0 {
					deep.Send(v - 1)
					deep.Flush()
				}
				inside--
			})
			return epoch(r, func() { deep.Send(10_000) })
		})
	}
}

// The local trap: pebbles of the main function for its own rank are handled when SendAll returns; those of single sends
// as soon as enough have gathered, or at a flush.
func TestLocalTrap(t *testing.T) {
	job(t, pebble.Config{Ranks: 3, Due: -1}, func(r *pebble.Rank) error {
		got := 0
		hit := byRank(r, "hit", func(uint64) { got++ })
		return r.Epoch(func() error {
			for i := 1; i <= 5*target.SendBufferMax; i++ {
				hit.Send(uint64(r.ID()))
				if got <= i-target.SendBufferMax {
					return fmt.Errorf("handled %d of %d", got, i)
				}
			}
			hit.Send(uint64(r.ID()))
			before := got
			hit.Flush()
			if got == before {
				return errors.New("a flush leaves what has gathered")
			}
			before = got
			hit.SendAll([]uint64{uint64(r.ID()), uint64(r.ID()), uint64(r.ID()), 0, 1, 2})
			if got < before+4 {
				return fmt.Errorf("handled %d more of at least 4", got-before)
			}
			return nil
		})
	})
}

// Two ranks that only wait for messages must not stop the other ranks: ranks with nothing to do yield.
func TestManyRanksOnFewCores(t *testing.T) {
	job(t, pebble.Config{Ranks: 64, Coalesce: 16}, func(r *pebble.Rank) error {
		var chain *target.Target[uint64]
		chain = byRank(r, "chain", func(v uint64) {
			if v < 2000 {
				chain.Send(v + 1)
			}
		})
		return epochOf(0, r, func() { chain.Send(0) })
	})
}
