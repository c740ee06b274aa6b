package main_test

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

const total = 1 << 12

// stream is this rank's part of the numbers.
func stream(r *pebble.Rank) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for n := uint64(r.ID()); n < 4*total && yield(n*0x9E3779B97F4A7C15); n += uint64(r.Size()) {
		}
	}
}

// run is the short form that the readme shows.
func run(r *pebble.Rank) error {
	words := distribution.Block(total, r.Size())
	table := make([]uint64, words.LocalLen(r.ID()))
	update := target.New(r, "update", words,
		target.Key(func(ran uint64) uint64 { return ran % total }),
		target.Each(func(ran uint64) { table[words.Local(ran%total)] ^= ran }))
	return r.Epoch(func() error {
		for ran := range stream(r) {
			update.Send(ran)
		}
		return nil
	})
}

func TestShortForm(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			if err := run(r); err != nil {
				return err
			}
			handled, err := pebble.AllReduce(r, r.Counters().PebblesHandled, func(a, b uint64) uint64 { return a + b })
			require.NoError(t, err)
			require.EqualValues(t, 4*total, handled)
			return nil
		}))
	}
}
