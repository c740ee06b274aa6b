package memory_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// twoProcesses runs a program on two ranks connected by TCP.
func twoProcesses(t *testing.T, program func(r *pebble.Rank) error) {
	s := appstest.Shape{Ranks: 2, Procs: 2, Transport: "tcp", New: route.Direct, Coalesce: 64, AddressCache: 100}
	require.NoError(t, s.Run(t, program))
}

// The addresses of an array leave the cache when it is freed, and those of another one stay.
func TestFreedArraysLeaveTheAddressCache(t *testing.T) {
	twoProcesses(t, func(r *pebble.Rank) error {
		s := memory.New(r)
		read := func(a *memory.Array[uint64]) {
			require.NoError(t, r.Epoch(func() error { a.GetRange(0, make([]uint64, a.Len())); return nil }))
		}
		get := func(name string) *memory.Array[uint64] {
			a := memory.NewArray[uint64](s, name, distribution.Block(4, 2))
			read(a)
			return a
		}
		kept := get("kept")
		for round := range 3 {
			freed := get(fmt.Sprint("freed ", round))
			require.Equal(t, 2, memory.Addresses(s))
			if err := freed.Free(); err != nil {
				return err
			}
			require.Equal(t, 1, memory.Addresses(s), "addresses of an array that was freed")
		}
		before := s.Counts().Misses
		read(kept)
		require.Equal(t, before, s.Counts().Misses)
		return kept.Free()
	})
}

// An access is allowed if it ends within the entry, also if its end overflows.
func TestEntriesAllow(t *testing.T) {
	const beyond = "object 0 of rank 0: index out of range: the elements end beyond it"
	for _, c := range []struct {
		offset, bytes uint64
		says          string
	}{
		{0, 100, ""}, {100, 0, ""}, {99, 1, ""}, {0, 101, beyond}, {99, 2, beyond}, {101, 0, beyond},
		{math.MaxUint64, 1, beyond}, {math.MaxUint64 - 99, 100, beyond}, {1, math.MaxUint64, beyond},
	} {
		require.Equal(t, c.says, memory.Allows(c.offset, c.bytes, 100), "%d bytes from %d on", c.bytes, c.offset)
	}
}
