package sssp

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run is Run on ranks of this process, with the result of each.
func run(tb testing.TB, c pebble.Config, config Config) ([]Result, error) {
	tb.Helper()
	results := make([]Result, c.Ranks)
	err := appstest.Job(tb, c, func(r *pebble.Rank) (err error) {
		results[r.ID()], err = Run(r, config)
		return err
	})
	return results, err
}

// whole is a result put together from all ranks.
type whole struct {
	parent []int64
	dist   []float64
	sum    Summary
}

// search searches from the vertex with an id, and puts the result together in made, each rank its own part; breaches
// are an error.
func (w *whole) search(g *distgraph.Graph, tuning Tuning, id uint64) error {
	roots, err := g.Indices([]uint64{id})
	if err != nil {
		return err
	}
	s, err := NewSearch(g, tuning)
	if err != nil {
		return err
	}
	for range 2 { // nothing is left of the first
		if err := s.From(roots[0]); err != nil {
			return err
		}
	}
	found, err := s.Validate()
	if err != nil {
		return err
	}
	if found.Count > 0 {
		return fmt.Errorf("%d breaches, the first: %s", found.Count, describe(found.First[0]))
	}
	parent, dist, err := s.Result()
	if err != nil {
		return err
	}
	copy(w.parent[min(g.First, g.Vertices):], parent)
	copy(w.dist[min(g.First, g.Vertices):], dist)
	sum, err := s.Summary()
	if g.Rank.ID() == 0 {
		w.sum = sum
	}
	return err
}

// requireTwin requires that searches of a graph from a vertex find what Dijkstra's does, in each bit, and a tree that
// the twin's validator finds right.
func requireTwin(tb require.TestingT, job func(f func(r *pebble.Rank) error) error, source distgraph.Source, tuning Tuning, id uint64) {
	c, index, err := source.Load()
	require.NoError(tb, err)
	root, known := index(id)
	require.True(tb, known)
	w := whole{parent: make([]int64, c.Vertices()), dist: make([]float64, c.Vertices())}
	require.NoError(tb, job(func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, source)
		if err != nil {
			return err
		}
		return w.search(g, tuning, id)
	}))
	dist, _ := graph.Dijkstra(c, root)
	require.Equal(tb, dist, w.dist)
	require.NoError(tb, graph.ValidatePaths(c, root, w.parent, w.dist))
	requireSame(tb, summarize(c, dist), w.sum)
}

func requireSame(tb require.TestingT, want, got Summary) {
	require.InDelta(tb, want.Sum, got.Sum, 1e-9*want.Sum)
	want.Sum = got.Sum
	require.Equal(tb, want, got)
}

// Everywhere, from tiny buckets to one for all, a search finds what its twin does.
func TestEverywhere(t *testing.T) {
	for _, source := range []distgraph.Source{
		{Generator: appstest.Kronecker(t, 7), Weights: distgraph.Random, Seed: 3},
		{Generator: appstest.ErdosRenyi(t, 7, 4), Weights: distgraph.Ones, Wide: true},
	} {
		c, _, err := source.Load()
		require.NoError(t, err)
		id := uint64(slices.IndexFunc(c.Offsets, func(at uint64) bool { return at > 0 }) - 1)
		for _, tuning := range []Tuning{{}, {Delta: 1e-6}, {Delta: 1e6, Unfiltered: true}} {
			t.Run(fmt.Sprintf("%s, %+v", source.Weights, tuning), func(t *testing.T) {
				appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
					w := whole{parent: make([]int64, c.Vertices()), dist: make([]float64, c.Vertices())}
					return func(r *pebble.Rank) error {
							g, err := distgraph.Build(r, source)
							if err != nil {
								return err
							}
							return w.search(g, tuning, id)
						}, func(t *testing.T) {
							dist, _ := graph.Dijkstra(c, id)
							require.Equal(t, dist, w.dist)
							require.NoError(t, graph.ValidatePaths(c, id, w.parent, w.dist))
						}
				})
			})
		}
	}
}

// The shape of the network makes no difference, nor a reduction.
func TestMatrix(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 5), Weights: distgraph.Random}
	c, _, err := source.Load()
	require.NoError(t, err)
	id := uint64(slices.IndexFunc(c.Offsets, func(at uint64) bool { return at > 0 }) - 1)
	turn := 0
	appstest.General(t, func(t *testing.T, s appstest.Shape) {
		turn++
		source.Order = distgraph.Orders[turn%len(distgraph.Orders)]
		requireTwin(t, func(f func(r *pebble.Rank) error) error { return s.Run(t, f) }, source, Tuning{Unfiltered: s.Cache == 64}, id)
	})
}

// Odd graphs, with more ranks than vertices among them: without edges, in parts, with self-loops, duplicates of other
// weights, without weight.
func TestOddGraphs(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	for name, l := range map[string]appstest.List{
		"one vertex":  {N: 1, Weights: []float64{}},
		"one loop":    {N: 1, Edges: []graph.Edge{{From: 0, To: 0}}, Weights: []float64{3}},
		"no edges":    {N: 5, Weights: []float64{}},
		"loops only":  {N: 3, Edges: []graph.Edge{{From: 0, To: 0}, {From: 2, To: 2}}, Weights: []float64{0, 1}},
		"two parts":   {N: 7, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 4, To: 5}}, Weights: []float64{1, 2, 3}},
		"duplicates":  {N: 3, Edges: []graph.Edge{{From: 0, To: 1}, {From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2}}, Weights: []float64{5, 2, 7, 1}},
		"no weight":   {N: 5, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}, {From: 2, To: 3}}, Weights: make([]float64, 4)},
		"huge":        {N: 4, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}, Weights: []float64{math.MaxFloat64, tiny, math.MaxFloat64}},
		"tiny":        {N: 4, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}}, Weights: []float64{tiny, tiny, 1e300}},
		"lost digits": {N: 4, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 1}, {From: 2, To: 3}}, Weights: []float64{1e20, 1e-3, 1e-3, 2}},
		"corrected":   {N: 4, Edges: []graph.Edge{{From: 0, To: 3}, {From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}, Weights: []float64{9, 1, 1, 1}},
	} {
		for _, ranks := range []int{1, 2, 3, 8} {
			for _, directed := range []bool{false, true} {
				l.Directed = directed
				for _, source := range []distgraph.Source{
					{Generator: l.Generator(), Weights: distgraph.Given}, {Generator: l.Generator(), Weights: distgraph.Given, Wide: true},
					{Generator: l.Generator(), Weights: distgraph.Given, Undirected: true, Order: distgraph.ByDegree},
				} {
					t.Run(fmt.Sprintf("%s, %d ranks, %v, %v, %s", name, ranks, directed, source.Wide, source.Order), func(t *testing.T) {
						requireTwin(t, func(f func(r *pebble.Rank) error) error { return appstest.Job(t, pebble.Config{Ranks: ranks}, f) }, source, Tuning{}, 0)
					})
				}
			}
		}
	}
}

// On small random graphs, whose weights are few and so often equal, searches find what the twin does, whatever delta.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Uint64Range(1, 12).Draw(rt, "vertices")
		vertex := rapid.Uint64Range(0, n-1)
		l := appstest.List{N: n, Directed: rapid.Bool().Draw(rt, "directed"), Weights: []float64{}}
		for range rapid.IntRange(0, 40).Draw(rt, "edges") {
			l.Edges = append(l.Edges, graph.Edge{From: vertex.Draw(rt, "from"), To: vertex.Draw(rt, "to")})
			l.Weights = append(l.Weights, rapid.SampledFrom([]float64{0, 0.25, 1, 3, 1e4}).Draw(rt, "weight"))
		}
		source := distgraph.Source{Generator: l.Generator(), Weights: distgraph.Given, Wide: rapid.Bool().Draw(rt, "wide")}
		tuning := Tuning{Delta: rapid.SampledFrom([]float64{0, 1e-3, 0.3, 50}).Draw(rt, "delta"), Unfiltered: rapid.Bool().Draw(rt, "unfiltered")}
		c := pebble.Config{Ranks: rapid.IntRange(1, 4).Draw(rt, "ranks"), Topology: route.Hypercube, Coalesce: rapid.SampledFrom([]int{1, 64}).Draw(rt, "coalesce")}
		requireTwin(rt, func(f func(r *pebble.Rank) error) error { return appstest.Job(t, c, f) }, source, tuning, vertex.Draw(rt, "root"))
	})
}

// Run's result is that of Serial.
func TestRun(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 9), Weights: distgraph.Random, Seed: 5}
	results, err := run(t, pebble.Config{Ranks: 3, Cache: 1024}, Config{Source: source, RootCount: 3, Seed: 7, Unfiltered: true})
	require.NoError(t, err)
	for _, res := range results {
		require.Zero(t, res.Errors, res.Wrong)
		want, err := Serial(source, res.Roots)
		require.NoError(t, err)
		require.Len(t, want, 3)
		for i, w := range want {
			requireSame(t, w, Summary{res.Reached[i], res.Farthest[i], res.DistanceSums[i], w.Traversed})
		}
		require.Contains(t, res.Rows(), [2]string{"trees", "valid"})
		require.Positive(t, res.Counters.Merged)
	}
}
