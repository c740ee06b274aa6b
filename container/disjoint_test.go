package container_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// roots returns the keys that stand for the sets of some edges, by key. The ranks join the edges in some order.
func roots(t *testing.T, ranks int, edges []named) map[string]string {
	var all map[string]string
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		d := container.NewDisjointSets[string](r, "sets", nil)
		for round := range 2 { // the result of Compress stays valid
			appstest.Epoch(r, func() {
				for i, e := range edges {
					if i%2 == round && i/2%ranks == r.ID() {
						d.Union(e.Key, e.Value)
					}
				}
			})
			appstest.OK(d.Compress())
		}
		for k, root := range d.LocalAll() {
			if found, ok := d.LocalGet(k); !ok || found != root {
				return fmt.Errorf("%v has the root %v, and %v by itself", k, root, found)
			}
		}
		es, err := d.Gather(0)
		if r.ID() == 0 {
			all = map[string]string{}
			for _, e := range es {
				all[e.Key] = e.Value
			}
		}
		return err
	}))
	return all
}

// The key that stands for a set depends neither on the number of ranks nor on the order of unions.
func TestSameKeyStandsForASet(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for _, n := range []int{1, 20, 3000} {
		edges := make([]named, n)
		for i := range edges {
			edges[i] = named{Key: words(random.IntN(2 * n)), Value: words(random.IntN(2 * n))}
		}
		want := roots(t, 1, edges)
		require.NotEmpty(t, want)
		for _, e := range edges {
			require.Equal(t, want[e.Key], want[e.Value])
		}
		for _, ranks := range []int{1, 2, 3, 8} {
			random.Shuffle(n, func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
			require.Equal(t, want, roots(t, ranks, edges))
		}
	}
}

// A rank does not return roots that unions may have changed.
func TestSetsAreCompressedBeforeALook(t *testing.T) {
	for _, look := range []func(d *container.DisjointSets[uint64]){
		func(d *container.DisjointSets[uint64]) { _, _ = d.Gather(0) },
		func(d *container.DisjointSets[uint64]) { d.LocalGet(1) },
	} {
		require.ErrorContains(t, pebble.Run(t.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			d := container.NewDisjointSets[uint64](r, "sets", nil)
			for range 2 {
				appstest.Epoch(r, func() { d.Union(1, 2) })
				if n, err := d.Sets(); err != nil || n != 1 {
					return fmt.Errorf("%d sets: %w", n, err)
				}
				appstest.OK(d.Compress())
				d.LocalGet(1)
			}
			appstest.Epoch(r, func() { d.Insert(3) })
			look(d)
			return nil
		}), "sets is looked at after unions: call Compress first")
	}
}

// A union fails while its rank iterates.
func TestNoUnionComesDuringAnIteration(t *testing.T) {
	require.ErrorContains(t, pebble.Run(t.Context(), pebble.Config{}, func(r *pebble.Rank) error {
		d := container.NewDisjointSets[uint64](r, "sets", nil)
		appstest.Epoch(r, func() { d.Union(1, 2) })
		appstest.OK(d.Compress())
		return d.ForAll(func(k, _ uint64) error {
			d.UnionAll([]container.Entry[uint64, uint64]{{Key: k, Value: 1}})
			return nil
		})
	}), "Union came while the rank iterates")
}
