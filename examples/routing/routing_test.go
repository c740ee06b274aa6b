package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Equation 3 agrees with the topology's routes.
func TestEquation3(t *testing.T) {
	for _, dims := range [][]int{{7}, {4, 4}, {5, 5, 5}, {3, 3, 3, 3}} {
		n, d := len(dims), dims[0]
		ranks := 1
		for range dims {
			ranks *= d
		}
		for a, got := range distances(route.Mesh(dims...)(ranks)) {
			require.Equal(t, choose(n, d, a), got, "%d dimensions of %d, %d messages", n, d, a)
		}
	}
}

// The memory in the table agrees with the job's own report.
func TestMemoryIsThatOfAJob(t *testing.T) {
	j := job{ranks: 12, procs: 1, bytes: 8, coalesce: 100, credits: 3}
	for _, name := range names {
		constructor, err := route.ByName(name)
		require.NoError(t, err)
		var told pebble.Explanation
		c := pebble.Config{
			Ranks: j.ranks, Topology: constructor, Coalesce: j.coalesce, Credits: j.credits,
			Explain: func(e pebble.Explanation) { told = e },
		}
		err = pebble.Run(t.Context(), c, func(r *pebble.Rank) error {
			target.New(r, "words", distribution.Cyclic(100, r.Size()), target.Key(func(k uint64) uint64 { return k }),
				target.Each(func(uint64) {}))
			r.ExplainNext()
			err := r.Epoch(func() error { return nil }, pebble.Depth(1))
			if !errors.Is(err, pebble.ErrExplained) {
				return fmt.Errorf("the epoch ended with %w", err)
			}
			return nil
		})
		require.NoError(t, err)
		s, err := route.Check(constructor(j.ranks))
		require.NoError(t, err)
		require.Equal(t, told.Bytes, j.memory(s.NeighborsMax), name)
		n, err := termination.Messages("auto", termination.Site{
			Ranks: j.ranks, Depth: 1, Hops: s.Diameter, Topology: constructor(j.ranks),
		})
		require.NoError(t, err)
		require.Equal(t, told.Messages, n, name)
	}
}

func TestFormulas(t *testing.T) {
	p := logGP{L: 3, o: 2, g: 1, G: 0.5}
	require.Equal(t, p.alone(1), p.coalesced(1), "a message is a message")
	require.Equal(t, 5*2+3+0.5+3*1, p.alone(4))
	require.Equal(t, 2*2+3+4*0.5, p.coalesced(4))
	require.InDelta(t, 0.36, hits(0.2, 2), 1e-12)
	require.Equal(t, oneByOne(10, 8, 52), aggregated(10, 8, 52, 1, 1), "a buffer of one pebble is no buffer")
	require.False(t, pays(0.5, 2, 1))
}

// Leaders are sound for all placements of processes.
func TestLeadersAreSound(t *testing.T) {
	for ranks := 1; ranks <= 9; ranks++ {
		for begins := range 1 << (ranks - 1) { // bit i: a process begins at rank i+1
			first := []int{0}
			for i := range ranks - 1 {
				if begins>>i&1 == 1 {
					first = append(first, i+1)
				}
			}
			_, err := route.Check(newLeaders(ranks).(route.Placed).Place(first))
			require.NoError(t, err, "%d ranks, processes begin at %v", ranks, first)
		}
	}
	for ranks := 1; ranks <= 70; ranks++ {
		for procs := 1; procs <= ranks; procs++ {
			placed := newLeaders(ranks).(route.Placed).Place(netio.PlaceOf(ranks, procs, 0).Firsts())
			_, err := route.Check(placed)
			require.NoError(t, err, "%d ranks in %d processes", ranks, procs)
		}
	}
}

// A chain visits all ranks with a user's topology and detector, in one process and in three. Nothing is lost.
func TestOwnTopologyAndDetector(t *testing.T) {
	for _, s := range []appstest.Shape{
		{Ranks: 1, Procs: 1, Transport: "mem"},
		{Ranks: 7, Procs: 1, Transport: "mem", Credits: 1, Coalesce: 2},
		{Ranks: 8, Procs: 3, Transport: "tcp", Credits: 1, Coalesce: 2},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
			s.New = newLeaders
			handled := make([]int, s.Ranks)
			const length = 50
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				var walk *target.Target[uint64]
				walk = target.New(r, "walk", distribution.Cyclic(length, r.Size()),
					target.Key(func(k uint64) uint64 { return k }),
					target.Each(func(k uint64) {
						handled[r.ID()]++
						if k+1 < length {
							walk.Send(k + 1)
						}
					}))
				for range 5 {
					require.NoError(t, r.Epoch(func() error { walk.Send(0); return nil }, pebble.EndBy(newCentral)))
				}
				require.Equal(t, "central", r.Termination())
				return nil
			}))
			sum := 0
			for _, n := range handled {
				sum += n
			}
			require.Equal(t, 5*length*s.Ranks, sum)
		})
	}
}

// Only the pebbles between the two ends of a marked link take a longer way.
func TestAround(t *testing.T) {
	for range 20 {
		var out strings.Builder
		require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 8, Topology: route.Dynamic(route.Hypercube)},
			func(r *pebble.Rank) error { return around(r, &out) }))
		require.Contains(t, out.String(), "not 0-1: 64 pebbles handled, 44 passed")
	}
}

func TestJobsAreChecked(t *testing.T) {
	require.NoError(t, guide.check())
	for _, j := range []job{{}, {ranks: 2, procs: 3, bytes: 1, coalesce: 1, credits: 1},
		{ranks: 2, procs: 1, coalesce: 1, credits: 1}} {
		require.Error(t, j.check())
	}
}
