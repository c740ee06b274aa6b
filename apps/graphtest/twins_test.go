package graphtest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/jaccard"
	"github.com/activepebbles/pebbles/apps/kcore"
	"github.com/activepebbles/pebbles/apps/sssp"
	"github.com/activepebbles/pebbles/apps/triangles"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// forAll runs body for each application.
func forAll(t *testing.T, body func(t *testing.T, a app)) {
	for _, a := range all {
		t.Run(a.name, func(t *testing.T) { body(t, a) })
	}
}

// forFamilies runs body for each family of applications.
func forFamilies(t *testing.T, body func(t *testing.T, of []app)) {
	families := map[string][]app{}
	for _, a := range all {
		families[a.family] = append(families[a.family], a)
	}
	for name, of := range families {
		t.Run(name, func(t *testing.T) { body(t, of) })
	}
}

// Each application agrees with its twin everywhere. Lists are longer than a pebble, and rows much longer than lists.
func TestEverywhere(t *testing.T) {
	t.Parallel()
	forAll(t, func(t *testing.T, a app) {
		for _, source := range []distgraph.Source{
			{Generator: appstest.Kronecker(t, 7)}, {Generator: appstest.ErdosRenyi(t, 6, 3), Wide: true},
		} {
			t.Run(source.Name(), func(t *testing.T) {
				appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
					j := a.start(t, source, 33)
					return j.program, func(t *testing.T) { j.check(t) }
				})
			})
		}
	})
}

// Results do not depend on the shape of the network. Applications that send alike take turns.
func TestEveryShape(t *testing.T) {
	t.Parallel()
	source := distgraph.Source{Generator: appstest.Kronecker(t, 5)}
	forFamilies(t, func(t *testing.T, of []app) {
		turn := 0
		of[0].matrix(t, func(t *testing.T, s appstest.Shape) {
			source.Order = distgraph.Orders[turn/len(of)%len(distgraph.Orders)]
			of[turn%len(of)].start(t, source, uint64(turn)).run(t, func(f func(r *pebble.Rank) error) error {
				return s.Run(t,
					f)
			})
			turn++
		})
	})
}

// Odd graphs, also with more ranks than vertices.
func TestOddGraphs(t *testing.T) {
	t.Parallel()
	forAll(t, func(t *testing.T, a app) {
		onOddGraphs(t, oddGraphs(), func(t *testing.T, ranks int, source distgraph.Source) {
			n := source.Generator.Vertices()
			if n == 0 && a.hasRoot {
				return
			}
			a.start(t, source, n/2).run(t, appstest.On(t, pebble.Config{Ranks: ranks}))
		})
	})
}

// A path longer than 255.
func TestLongPath(t *testing.T) {
	path := appstest.List{N: 271}
	for v := range path.N - 1 {
		path.Edges = append(path.Edges, graph.Edge{From: v, To: v + 1})
	}
	forAll(t, func(t *testing.T, a app) {
		a.start(t, distgraph.Source{Generator: path.Generator()}, 0).run(t, appstest.On(t, pebble.Config{Ranks: 2}))
	})
}

// Weights that lose digits, that correct each other, of 0, and of almost 0.
func TestOddWeights(t *testing.T) {
	tiny, huge := math.SmallestNonzeroFloat64, math.MaxFloat64/4
	onOddGraphs(t, map[string]appstest.List{
		"loops only":  {N: 3, Edges: edges(0, 0, 2, 2), Weights: []float64{0, 1}},
		"duplicates":  {N: 3, Edges: edges(0, 1, 0, 1, 1, 0, 1, 2), Weights: []float64{5, 2, 7, 1}},
		"no weight":   {N: 5, Edges: edges(0, 1, 1, 2, 2, 0, 2, 3), Weights: make([]float64, 4)},
		"huge":        {N: 4, Edges: edges(0, 1, 1, 2, 2, 3), Weights: []float64{huge, tiny, huge}},
		"tiny":        {N: 4, Edges: edges(0, 1, 1, 2, 0, 2), Weights: []float64{tiny, tiny, 1e300}},
		"lost digits": {N: 4, Edges: edges(0, 1, 1, 2, 2, 1, 2, 3), Weights: []float64{1e20, 1e-3, 1e-3, 2}},
		"corrected":   {N: 4, Edges: edges(0, 3, 0, 1, 1, 2, 2, 3), Weights: []float64{9, 1, 1, 1}},
		"by little":   {N: 3, Edges: edges(0, 2, 0, 1, 1, 2), Weights: []float64{1 + 1e-12, 0.5, 0.5}},
	}, func(t *testing.T, ranks int, source distgraph.Source) {
		source.Weights = distgraph.Given
		startSSSP(sssp.Tuning{})(t, source, 0).run(t, appstest.On(t, pebble.Config{Ranks: ranks}))
	})
}

// Generated graphs of some size, in all orders and widths.
func TestGenerated(t *testing.T) {
	forAll(t, func(t *testing.T, a app) {
		for i, source := range []distgraph.Source{
			{Generator: appstest.Kronecker(t, 10)},
			{Generator: appstest.Kronecker(t, 8), Order: distgraph.ByDegree, Wide: true},
			{Generator: appstest.ErdosRenyi(t, 10, 1), Undirected: true, Order: distgraph.ByDegree},
			{Generator: halved{appstest.Kronecker(t, 8)}},
			{Generator: hubs().Generator()},
		} {
			c := pebble.Config{Ranks: 2 + 3*(i%2), Topology: route.Hypercube, Cache: 256}
			t.Run(source.Name(), func(t *testing.T) { a.start(t, source, 0).run(t, appstest.On(t, c)) })
		}
	})
}

// On small random graphs each application agrees with its twin, from any root, with any damping.
func TestRandomGraphs(t *testing.T) {
	forFamilies(t, func(t *testing.T, of []app) {
		rapid.Check(t, func(rt *rapid.T) {
			a := of[rapid.IntRange(0, len(of)-1).Draw(rt, "application")]
			source := drawSource(rt, 14, 60)
			source.Undirected = rapid.Bool().Draw(rt, "undirected")
			if source.Undirected || !source.Generator.Directed() {
				source.Order = rapid.SampledFrom(distgraph.Orders).Draw(rt, "order")
			}
			c := pebble.Config{
				Ranks: rapid.IntRange(1, 5).Draw(rt, "ranks"), Coalesce: rapid.SampledFrom([]int{1, 3, 64}).Draw(rt, "coalesce"),
				Topology: rapid.SampledFrom([]route.Constructor{route.Direct, route.Hypercube, route.Ring}).Draw(rt, "topology"),
				Cache:    rapid.SampledFrom([]int{0, 16}).Draw(rt, "cache"),
			}
			a.start(rt, source, rapid.Uint64Range(0, 89).Draw(rt, "pick")).run(rt, appstest.On(t, c))
		})
	})
}

// On small random graphs with few different weights, searches agree with the twin, for any delta.
func TestRandomWeights(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Uint64Range(1, 12).Draw(rt, "vertices")
		l := appstest.List{N: n, Directed: rapid.Bool().Draw(rt, "directed"), Weights: []float64{}}
		l.Edges = appstest.DrawEdges(rt, n, 40)
		for range l.Edges {
			l.Weights = append(l.Weights, rapid.SampledFrom([]float64{0, 0.25, 1, 3, 1e4}).Draw(rt, "weight"))
		}
		source := distgraph.Source{Generator: l.Generator(), Weights: distgraph.Given, Wide: rapid.Bool().Draw(rt, "wide")}
		tuning := sssp.Tuning{
			Delta:      rapid.SampledFrom([]float64{0, 1e-3, 0.3, 50}).Draw(rt, "delta"),
			Unfiltered: rapid.Bool().Draw(rt, "unfiltered"),
		}
		c := pebble.Config{
			Ranks: rapid.IntRange(1, 4).Draw(rt, "ranks"), Topology: route.Hypercube,
			Coalesce: rapid.SampledFrom([]int{1, 64}).Draw(rt, "coalesce"),
		}
		startSSSP(tuning)(rt, source, rapid.Uint64Range(0, n-1).Draw(rt, "root")).run(rt, appstest.On(t, c))
	})
}

// Twins agree with brute force by the definitions of core numbers, triangles and similarities.
func TestTwins(t *testing.T) {
	same := func(t require.TestingT, source distgraph.Source) {
		c := load(t, undirected(source)).Simple()
		cores := appstest.Must(kcore.Serial(source))
		want := make([]uint64, c.Vertices())
		for k := range c.Vertices() {
			for _, v := range core(c, k) {
				want[v] = k
			}
		}
		require.Equal(t, want, append([]uint64{}, cores...))
		n := appstest.Must(triangles.Serial(source))
		three, pairs := brute(c)
		require.Equal(t, three, n)
		counts, clustering, err := triangles.SerialCorners(source)
		require.NoError(t, err)
		require.Equal(t, bruteClustering(load(t, source)), perVertex(counts, clustering))
		similar := appstest.Must(jaccard.Serial(source))
		require.Equal(t, pairs, append([]graph.Pair{}, similar...))
	}
	rapid.Check(t, func(rt *rapid.T) { same(rt, drawSource(rt, 12, 60)) })
	for name, l := range oddGraphs() {
		t.Run(name, func(t *testing.T) { same(t, distgraph.Source{Generator: l.Generator()}) })
	}
}

// core returns the k-core of a graph, by removal of vertices with fewer neighbours.
func core(c *graph.CSR, k uint64) (in []uint64) {
	gone := make([]bool, c.Vertices())
	for changed := true; changed; {
		changed, in = false, nil
		for v := range c.Vertices() {
			left := uint64(0)
			for _, w := range c.Row(v) {
				if !gone[w] {
					left++
				}
			}
			switch {
			case gone[v]:
			case left < k:
				gone[v], changed = true, true
			default:
				in = append(in, v)
			}
		}
	}
	return in
}

// bruteClustering tries all pairs of neighbours of each vertex.
func bruteClustering(c *graph.CSR) []counted {
	arc, all := map[[2]uint64]bool{}, make([]counted, c.Vertices())
	for v := range c.Vertices() {
		for _, w := range c.Row(v) {
			arc[[2]uint64{v, w}] = v != w
		}
	}
	edge := func(v, w uint64) bool { return arc[[2]uint64{v, w}] || arc[[2]uint64{w, v}] }
	for v := range all {
		pairs, joined, closed := 0, 0, uint64(0)
		for u := range c.Vertices() {
			for w := range c.Vertices() {
				if u == w || !edge(uint64(v), u) || !edge(uint64(v), w) {
					continue
				}
				pairs++
				if arc[[2]uint64{u, w}] {
					joined++
				}
				if u < w && edge(u, w) {
					closed++
				}
			}
		}
		all[v] = counted{triangles: closed}
		if pairs > 0 {
			all[v].clustering = float64(joined) / float64(pairs)
		}
	}
	return all
}

// brute finds triangles by trying all sets of three vertices, and similarities by sets of neighbours.
func brute(c *graph.CSR) (three uint64, pairs []graph.Pair) {
	joined := map[[2]uint64]bool{}
	for v := range c.Vertices() {
		for _, w := range c.Row(v) {
			joined[[2]uint64{v, w}] = v != w
		}
	}
	pairs = []graph.Pair{}
	for u := range c.Vertices() {
		for v := u + 1; v < c.Vertices(); v++ {
			if !joined[[2]uint64{u, v}] {
				continue
			}
			both, either := 0, 0
			for w := range c.Vertices() {
				a, b := joined[[2]uint64{u, w}], joined[[2]uint64{v, w}]
				if a && b {
					both++
					if w > v {
						three++
					}
				}
				if a || b {
					either++
				}
			}
			pairs = append(pairs, graph.Pair{First: u, Second: v, Similarity: float64(both) / float64(either)})
		}
	}
	return three, pairs
}
