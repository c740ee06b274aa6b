// Package graphtest has what tests of kernels over whole graphs have in common: odd graphs, graphs drawn at random, and
// results that are spoiled so that a verifier must tell. It is for tests.
package graphtest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// Triangles are how many of them the publishers of public graphs count, by the files of appstest.Data.
var Triangles = map[string]uint64{
	"soc-Epinions1.txt.gz": 1_624_481, "wiki-Vote.txt.gz": 608_389, "astro-ph.metis.graph.gz": 756_019,
	"road-NY.gr.gz": 6_529,
}

// oddGraphs are those in which a kernel over a whole graph may forget something.
func oddGraphs() map[string]appstest.List {
	path, star, clique := appstest.List{N: 130}, appstest.List{N: 70}, appstest.List{N: 12}
	for v := range path.N - 1 {
		path.Edges = append(path.Edges, graph.Edge{From: v, To: v + 1})
	}
	for v := uint64(1); v < star.N; v++ {
		star.Edges = append(star.Edges, graph.Edge{From: v, To: 0})
	}
	for v := range clique.N {
		for w := range v {
			clique.Edges = append(clique.Edges, graph.Edge{From: v, To: w})
		}
	}
	return map[string]appstest.List{
		"no vertices": {},
		"one vertex":  {N: 1},
		"one loop":    {N: 1, Edges: []graph.Edge{{From: 0, To: 0}}},
		"no edges":    {N: 5},
		"loops only":  {N: 3, Edges: []graph.Edge{{From: 0, To: 0}, {From: 2, To: 2}}},
		"two parts":   {N: 7, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 4, To: 5}}},
		"duplicates": {N: 4, Edges: []graph.Edge{
			{From: 0, To: 1}, {From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2},
			{From: 0, To: 3}, {From: 3, To: 2}, {From: 3, To: 2},
		}},
		"path":   path,
		"star":   star,
		"clique": clique,
	}
}

// OddGraphs runs body for graphs in which a kernel over a whole graph may forget something, directed and not, on
// several numbers of ranks, with more ranks than vertices among them.
func OddGraphs(t *testing.T, body func(t *testing.T, ranks int, source distgraph.Source)) {
	for name, l := range oddGraphs() {
		for _, ranks := range []int{1, 2, 3, 9} {
			for _, directed := range []bool{false, true} {
				l.Directed = directed
				for _, source := range []distgraph.Source{
					{Generator: l.Generator()},
					{Generator: l.Generator(), Wide: true},
					{Generator: l.Generator(), Undirected: true, Order: distgraph.ByDegree},
				} {
					t.Run(fmt.Sprintf("%s, %d ranks, %v, %v, %s", name, ranks, directed, source.Wide, source.Order),
						func(t *testing.T) { body(t, ranks, source) })
				}
			}
		}
	}
}

// DrawSource draws a graph of so many vertices and edges at most.
func DrawSource(t *rapid.T, vertices uint64, edges int) distgraph.Source {
	n := rapid.Uint64Range(1, vertices).Draw(t, "vertices")
	l := appstest.List{N: n, Directed: rapid.Bool().Draw(t, "directed"), Edges: appstest.DrawEdges(t, n, edges)}
	return distgraph.Source{Generator: l.Generator(), Wide: rapid.Bool().Draw(t, "wide")}
}

// Breach runs a kernel on the graph of a source, on ranks of this process, and has spoil change what it has found.
// It requires that the check of all ranks together finds something, and says so.
func Breach[K distgraph.Whole](t *testing.T, ranks int, source distgraph.Source,
	prepare func(g *distgraph.Graph) (K, error),
	spoil func(g *distgraph.Graph, k K), rules []string, says string) {
	t.Helper()
	var total uint64
	var texts []string
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, source)
		if err != nil {
			return err
		}
		k, err := prepare(g)
		if err != nil {
			return err
		}
		if err := k.Run(); err != nil {
			return err
		}
		spoil(g, k)
		found, err := k.Validate()
		if err != nil {
			return err
		}
		said, err := g.Describe(found, rules)
		if err != nil {
			return err
		}
		sum, err := apps.Sum(r, found.Count)
		if r.ID() == 0 {
			total, texts = sum, said
		}
		return err
	}))
	require.NotZero(t, total)
	require.Contains(t, fmt.Sprint(texts), says)
}

// Checked runs a kernel on the graph of a source, checks it, and puts what it has found of this rank's vertices, in the
// order of the source, into its own part of made. A breach is an error. All ranks call it.
func Checked[K distgraph.Whole, T any](r *pebble.Rank, source distgraph.Source,
	prepare func(g *distgraph.Graph) (K, error),
	found func(k K) []T, made []T) error {
	g, err := distgraph.Build(r, source)
	if err != nil {
		return err
	}
	k, err := prepare(g)
	if err != nil {
		return err
	}
	if err := k.Run(); err != nil {
		return err
	}
	breaches, err := k.Validate()
	if err != nil {
		return err
	}
	if breaches.Count > 0 {
		return fmt.Errorf("%d breaches, the first %+v", breaches.Count, breaches.First[0])
	}
	copy(made[min(g.First, g.Vertices):], found(k))
	return nil
}
