package pebble_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

func TestMisuseIsToldInWords(t *testing.T) {
	for want, f := range map[string]func(r *pebble.Rank, hit *target.Target[uint64]) error{
		"epochs do not nest": func(r *pebble.Rank, _ *target.Target[uint64]) error {
			return r.Epoch(func() error { return r.Epoch(func() error { return nil }) })
		},
		"a pebble was sent outside of an epoch": func(_ *pebble.Rank,
			hit *target.Target[uint64]) error {
			hit.Send(0)
			return nil
		},
		"a barrier was begun inside an epoch": func(r *pebble.Rank, _ *target.Target[uint64]) error {
			return r.Epoch(func() error { return r.Barrier() })
		},
		"was registered inside an epoch": func(r *pebble.Rank, _ *target.Target[uint64]) error {
			return r.Epoch(func() error { byRank(r, "late", func(uint64) {}); return nil })
		},
		"Poll may be called only": func(r *pebble.Rank, _ *target.Target[uint64]) error { r.Poll(); return nil },
		"root 9: ranks are 0 to 1": func(r *pebble.Rank, _ *target.Target[uint64]) error {
			_, err := pebble.Gather(r, 9, 1)
			return err
		},
		"AllReduce without a function that merges: give one, such as pebble.Sum": func(r *pebble.Rank,
			_ *target.Target[uint64]) error {
			_, err := pebble.AllReduce(r, 1, nil)
			return err
		},
		"ExclusiveScan without a function that merges": func(r *pebble.Rank, _ *target.Target[uint64]) error {
			_, err := pebble.ExclusiveScan(r, 1, 0, nil)
			return err
		},
		"epoch: it has no function: give one, which may do nothing": func(r *pebble.Rank,
			_ *target.Target[uint64]) error {
			return r.Epoch(nil)
		},
		"type string is not plain data": func(r *pebble.Rank, _ *target.Target[uint64]) error {
			_, err := pebble.Broadcast(r, 0, "text")
			return err
		},
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			return f(r, byRank(r, "hit", func(uint64) {}))
		})
		require.ErrorContains(t, err, want)
	}
}

func TestDifferentRegistrationsAreTold(t *testing.T) {
	for want, f := range map[string]func(r *pebble.Rank){
		`rank 0 registers target "common" of uint64`: func(r *pebble.Rank) {
			byRank(r, []string{"common", "other"}[r.ID()%2], func(uint64) {})
		},
		"which rank 1 does not": func(r *pebble.Rank) {
			byRank(r, "common", func(uint64) {})
			if r.ID() == 0 {
				byRank(r, "more", func(uint64) {})
			}
		},
		"coalescing 5": func(r *pebble.Rank) { byRank(r, "common", func(uint64) {}, target.Coalesce(5+r.ID())) },
		"is at the comparison of new targets while rank": func(r *pebble.Rank) {
			if r.ID() == 0 {
				byRank(r, "only here", func(uint64) {})
			}
		},
		"a target of this name is registered already": func(r *pebble.Rank) {
			byRank(r, "twice", func(uint64) {})
			byRank(r, "twice", func(uint64) {})
		},
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			f(r)
			return r.Epoch(func() error { return nil })
		})
		require.Error(t, err, want)
		if !strings.Contains(err.Error(), "is at the end of an epoch while") { // the other side of the same difference
			require.ErrorContains(t, err, want)
		}
	}
}

// Ranks that are in different collectives are told so, instead of waiting for ever.
func TestDifferentOrderIsTold(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		if r.ID() == 0 {
			return r.Barrier()
		}
		_, err := pebble.AllReduce(r, 1, func(a, b int) int { return a + b })
		return err
	})
	require.ErrorContains(t, err, "in the same order")
}
