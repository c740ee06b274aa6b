package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// TestRumours compares with one table that one goroutine fills, for every change that the job makes.
func TestRumours(t *testing.T) {
	const rounds = 4
	want := make([]uint64, people)
	for round := range rounds {
		for person := range uint64(people) {
			for _, friend := range friendsOf(person, round) {
				want[friend]++
			}
		}
	}
	for _, ranks := range []int{1, 2, 5} {
		parts := make([][]uint64, ranks)
		config := pebble.Config{Ranks: ranks, Tuning: &pebble.Tuning{Topology: true, Coalesce: true, Window: 1}}
		require.NoError(t, pebble.Run(t.Context(), config, func(r *pebble.Rank) (err error) {
			parts[r.ID()], err = run(r, rounds)
			return err
		}))
		var got []uint64
		for _, p := range parts {
			got = append(got, p...)
		}
		require.Equal(t, want, got)
	}
}
