package container_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

type named = container.Entry[string, string]

// namedEdges returns n edges between names of 2n vertices: some of one large component, and many small ones.
func namedEdges(n int) []named {
	random, edges := rand.New(rand.NewPCG(1, 1)), make([]named, n)
	name := func() string { return fmt.Sprintf("Müller, \"%x\"", random.IntN(2*n)*2654435761%1000003) }
	for i := range edges {
		edges[i] = named{Key: name(), Value: name()}
	}
	return edges
}

// times are the times of the unions of all edges, and of the search for the root of each name after them.
type times struct{ unions, compress time.Duration }

// plainTimes measures one map of Go's on one core.
func plainTimes(edges []named) (t times, sets int) {
	start := time.Now()
	parents := map[string]string{}
	root := func(a string) string {
		if _, there := parents[a]; !there {
			parents[a] = a
		}
		for parents[a] != a {
			parents[a] = parents[parents[a]]
			a = parents[a]
		}
		return a
	}
	for _, e := range edges {
		parents[root(e.Key)] = root(e.Value)
	}
	t.unions = time.Since(start)
	for a := range parents {
		parents[a] = root(a)
	}
	t.compress = time.Since(start) - t.unions
	for a, parent := range parents {
		if a == parent {
			sets++
		}
	}
	return t, sets
}

func setsTimes(b *testing.B, edges []named, ranks int) (t times, sets int) {
	if err := pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		d := container.NewDisjointSets[string](r, "sets", nil)
		share := edges[len(edges)*r.ID()/ranks : len(edges)*(r.ID()+1)/ranks]
		start := time.Now()
		appstest.Epoch(r, func() {
			for batch := range slices.Chunk(share, 1024) {
				d.UnionAll(batch)
			}
		})
		unions := time.Since(start)
		appstest.OK(d.Compress())
		n, err := d.Sets()
		if r.ID() == 0 {
			t, sets = times{unions, time.Since(start) - unions}, int(n)
		}
		return err
	}); err != nil {
		b.Fatal(err)
	}
	return t, sets
}

// The speed of disjoint sets relative to union-find in one map of Go's on one core: medians of ratios of runs that
// alternate.
func BenchmarkDisjointSets(b *testing.B) {
	edges := namedEdges(500_000)
	for _, ranks := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d ranks", ranks), func(b *testing.B) {
			var unions, compress []float64
			for len(unions) < 5 || b.Loop() {
				plain, want := plainTimes(edges)
				t, sets := setsTimes(b, edges, ranks)
				if sets != want {
					b.Fatalf("%d sets in place of %d", sets, want)
				}
				unions = append(unions, plain.unions.Seconds()/t.unions.Seconds())
				compress = append(compress, plain.compress.Seconds()/t.compress.Seconds())
				b.Log(plain, t)
			}
			slices.Sort(unions)
			slices.Sort(compress)
			b.ReportMetric(unions[len(unions)/2], "unions-ratio")
			b.ReportMetric(compress[len(compress)/2], "compress-ratio")
		})
	}
}
