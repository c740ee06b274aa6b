package pages_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// Free leaves nothing behind.
func TestFreeLeavesNothing(t *testing.T) {
	appstest.FreedEverywhere(t, func(r *pebble.Rank) func() error {
		s := pages.New(memory.New(r), pages.Config{})
		return func() error {
			v := pages.NewSlice[uint64](s, "slice", distribution.Block(1000, r.Size()))
			l := pages.NewLock(s, "lock", 1)
			l.Lock()
			v.Write(0, 1000)[r.ID()]++
			l.Unlock()
			err := s.Barrier()
			return errors.Join(err, l.Free(), v.Free())
		}
	})
}

// More slices than a rank may have at a time are made one after another, between two that stay. The places of freed
// slices are reused for slices of other sizes, and no data of a freed slice is visible.
func TestPlacesOfFreedSlices(t *testing.T) {
	const most = 1 << 10
	require.NoError(t, job(2, pages.Config{}, func(r rank) {
		first, locks := r.words(600), r.locks(2)
		r.NoError(locks[0].Free())
		last := r.words(600)
		for i := range uint64(most + 100) {
			n := 64 + i%3*1000
			v := r.words(n)
			lo := n / 2 * uint64(1-r.ID()) // a rank writes the half of the other one
			for k, w := range v.Write(lo, lo+n/2) {
				r.Zero(w)
				v.Write(lo, lo+n/2)[k] = i + lo + uint64(k)
			}
			r.meet()
			for k, w := range v.Read(0, n) {
				r.Equal(i+uint64(k), w)
			}
			r.NoError(v.Free())
		}
		locks[1].Lock()
		first.Write(0, 1)[0]++
		last.Write(0, 1)[0]++
		locks[1].Unlock()
		r.meet()
		r.Equal(uint64(2), first.Read(0, 1)[0])
		r.Equal(uint64(2), last.Read(0, 1)[0])
	}))
}

// Free of one slice ends no span of another: what is written before and after it, in the old span and in a new one,
// reaches the home.
func TestFreeEndsNoSpan(t *testing.T) {
	apart := sim.Config{Ranks: 2, Processes: 2, Seed: 1}
	require.NoError(t, appstest.Simulate(t, apart, pebble.Config{}, program(pages.Config{}, func(r rank) {
		gone, v := r.words(1000), r.words(1000)
		var span []uint64
		if r.ID() == 0 {
			gone.Write(600, 610)[0] = 1
			span = v.Write(600, 610) // at home on rank 1
			span[0] = 1
		}
		r.NoError(gone.Free())
		if r.ID() == 0 {
			span[1] = 2
			v.Write(600, 610)[2] = 3
		}
		r.meet()
		r.Equal([]uint64{1, 2, 3, 0}, v.Read(600, 604))
		r.meet()
	})))
}

func TestTooManySlices(t *testing.T) {
	require.ErrorContains(t, job(1, pages.Config{}, func(r rank) {
		for range 1<<10 + 1 {
			r.words(1)
		}
	}), "a rank has 1024 slices at most: free those that are done")
}
