package pebble_test

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// Sizes that no machine has room for are refused in one sentence, before anything is allocated.
func TestImpossibleSizesAreRefused(t *testing.T) {
	for want, c := range map[string]pebble.Config{
		"1000000000 ranks need at least 59.6 TiB of memory":                       {Ranks: 1_000_000_000},
		"config: 9223372036854775807 ranks need at least":                         {Ranks: math.MaxInt},
		"coalescing factor of 99999999999 is too large: a frame holds 1073741824": {Ranks: 1, Coalesce: 99_999_999_999},
		"9223372036854775807 frames of credit are too many":                       {Ranks: 1, Credits: math.MaxInt},
		"a cache of 9223372036854775807 entries needs more than":                  {Ranks: 1, Cache: math.MaxInt},
		"a cache of 70000 entries needs more than the 65536 bytes": {Ranks: 1, Cache: 70_000,
			MemoryLimit: 64 << 10},
	} {
		err := run(t, c, func(*pebble.Rank) error { panic("a rank runs") })
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
}

// What a target asks for is weighed before it is made.
func TestImpossibleTargetsAreRefused(t *testing.T) {
	for want, options := range map[string][]target.Option{
		"a cache of 1000000000000 entries of 16 bytes is larger": {target.Reduce(reduce.Duplicates[uint64]()),
			target.Cache(1_000_000_000_000)},
		"a cache of 5000 entries of 16 bytes is larger": {target.Reduce(reduce.Duplicates[uint64]()),
			target.Cache(5000)},
		"coalescing factor of 4294967296":             {target.Coalesce(1 << 32)},
		"a frame can hold 134217728 of these pebbles": {target.Coalesce(1 << 30)},
	} {
		err := run(t, pebble.Config{Ranks: 2, MemoryLimit: 64 << 10}, func(r *pebble.Rank) error {
			target.New(r, "at", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
				target.Each(func(uint64) {}), options...)
			return nil
		})
		var refused *pebble.RegistrationError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, want)
	}
}

// However much memory there is, a cache has its bounds.
func TestCachesBeyondAnyMemoryAreRefused(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 1, MemoryLimit: 1 << 50}, func(r *pebble.Rank) error {
		target.New(r, "at", distribution.Cyclic(1, 1), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) {}),
			target.Reduce(reduce.Duplicates[uint64]()), target.Cache(reduce.SizeMax+1))
		return nil
	})
	require.ErrorContains(t, err, "a cache of 1073741825 entries: give at most 1073741824")
}

// More neighbours than the memory limit has small frames for, and no rank after the first has to find out.
func TestTooManyNeighboursAreRefused(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 600, MemoryLimit: 64 << 10}, func(r *pebble.Rank) error {
		byRank(r, "at", func(uint64) {})
		return r.Barrier()
	})
	require.ErrorContains(t, err, `its buffers and routes need 115008 bytes at the least, the memory limit is 65536`)
}

// A rank with small buffers is small itself, so that one process can have thousands.
func TestRanksAreSmall(t *testing.T) {
	const ranks, most = 256, 200 << 10
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := used()
	c := pebble.Config{Ranks: ranks, Topology: route.Hypercube, Coalesce: 16}
	require.NoError(t, run(t, c, func(r *pebble.Rank) error {
		hit := byRank(r, "hit", func(uint64) {})
		err := r.Epoch(func() error {
			for i := range 64 {
				hit.Send(uint64(r.ID()*31+i*977) % ranks)
			}
			return nil
		})
		if err == nil && r.ID() == 0 {
			each := (used() - before) / ranks
			t.Logf("%d KiB a rank", each>>10)
			require.Less(t, each, uint64(most))
		}
		return errors.Join(err, r.Barrier())
	}))
}
