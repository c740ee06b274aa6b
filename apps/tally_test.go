package apps_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// told returns the part of a report that comes from tallies. Each rank has the given tally.
func told(t *testing.T, tally apps.Tally, counters pebble.Counters, found uint64) (errors uint64, wrong []string) {
	s := appstest.Shape{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct}
	results := make([]apps.Report, s.Ranks)
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		p := &results[r.ID()]
		p.Counters = counters
		if err := p.Found(r, found, "words are wrong"); err != nil {
			return err
		}
		return p.Finish(r, tally)
	}))
	require.Equal(t, results[0].Wrong, results[2].Wrong)
	return results[0].Errors, results[0].Wrong
}

func TestReportHoldsTalliesAgainstCounters(t *testing.T) {
	const altered = "the pebbles that were handled are not those that were sent: some were altered, or lost and others " +
		"handled twice"
	for name, c := range map[string]struct {
		tally  apps.Tally
		c      pebble.Counters
		found  uint64
		errors uint64
		wrong  []string
	}{
		"right": {apps.Tally{Sent: 5, Handled: 5}, pebble.Counters{PebblesSent: 15, PebblesHandled: 15}, 0, 0, nil},
		"merged": {apps.Tally{Sent: 5, Handled: 3, Sum: 7}, pebble.Counters{PebblesSent: 15, PebblesHandled: 9,
			Merged: 6}, 0, 0, nil},
		"lost": {apps.Tally{Sent: 5, Handled: 4}, pebble.Counters{PebblesSent: 15, PebblesHandled: 12}, 0, 3,
			[]string{"3 pebbles are missing of the 15 that were sent"}},
		"twice": {apps.Tally{Sent: 5, Handled: 6}, pebble.Counters{PebblesSent: 15, PebblesHandled: 18}, 0, 3,
			[]string{"3 more pebbles are handled or merged than the 15 that were sent"}},
		"no merges": {apps.Tally{Sent: 5, Handled: 5}, pebble.Counters{PebblesSent: 15, PebblesHandled: 15, Merged: 1}, 0, 1,
			[]string{"1 more pebble is handled or merged than the 15 that were sent"}},
		"altered": {apps.Tally{Sent: 5, Handled: 5, Sum: 7}, pebble.Counters{PebblesSent: 15, PebblesHandled: 15}, 0, 1,
			[]string{altered}},
		"misplaced": {apps.Tally{Sent: 5, Handled: 5, Misplaced: 2}, pebble.Counters{PebblesSent: 15, PebblesHandled: 15}, 0,
			6, []string{"6 pebbles are handled at ranks that do not own their keys"}},
		"miscounted": {apps.Tally{Sent: 5, Handled: 5}, pebble.Counters{PebblesSent: 14, PebblesHandled: 16}, 0, 2,
			[]string{"15 pebbles are sent, and the runtime counted 14", "15 pebbles are handled, and the runtime counted 16"}},
		"seen twice": {apps.Tally{Sent: 5, Handled: 4}, pebble.Counters{PebblesSent: 15, PebblesHandled: 12}, 2, 6,
			[]string{"6 words are wrong", "3 pebbles are missing of the 15 that were sent"}},
	} {
		t.Run(name, func(t *testing.T) {
			errors, wrong := told(t, c.tally, c.c, c.found)
			require.Equal(t, c.errors, errors)
			require.Equal(t, c.wrong, wrong)
		})
	}
}

// Check returns the same error on every rank, even if only one rank's pebbles have mistakes.
func TestCheck(t *testing.T) {
	s := appstest.Shape{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		var tally apps.Tally
		for v := range uint64(10) {
			tally.Send(apps.Fold(v, 1))
			if r.ID() != 1 || v != 4 {
				tally.Take(apps.Fold(v, 1), true)
			}
		}
		require.EqualError(t, tally.Check(r, "make the data"), "make the data: 1 pebble is missing of the 30 that were sent")
		if r.ID() == 1 {
			tally.Take(apps.Fold(3, 1), false)
		}
		require.EqualError(t, tally.Check(r, "make the data"),
			"make the data: the pebbles that were handled are not those that were sent: "+
				"some were altered, or lost and others handled twice; 1 pebble is handled at ranks that do not own their keys")
		if r.ID() == 1 {
			tally = apps.Tally{}
		}
		return tally.Check(r, "make the data")
	}))
}
