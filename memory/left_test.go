package memory_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/memory"
)

// The addresses of an array leave the cache when it is freed, and those of another one stay.
func TestFreedArraysLeaveTheAddressCache(t *testing.T) {
	s := shape("tcp", 2, 2)
	s.AddressCache = 100
	require.NoError(t, s.Run(t, program(func(r rank) {
		read := func(a *array) { r.Do(func() { a.GetRange(0, make([]uint64, a.Len())) }) }
		get := func(name string) *array {
			a := r.words(name, 4)
			read(a)
			return a
		}
		kept := get("kept")
		for round := range 3 {
			freed := get(fmt.Sprint("freed ", round))
			r.Equal(2, memory.Addresses(r.s))
			r.NoError(freed.Free())
			r.Equal(1, memory.Addresses(r.s), "addresses of an array that was freed")
		}
		before := r.s.Counts().Misses
		read(kept)
		r.Equal(before, r.s.Counts().Misses)
		r.NoError(kept.Free())
	})))
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
