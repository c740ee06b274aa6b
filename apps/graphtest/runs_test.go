package graphtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/communities"
	"github.com/activepebbles/pebbles/apps/components"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/jaccard"
	"github.com/activepebbles/pebbles/apps/kcore"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/apps/sssp"
	"github.com/activepebbles/pebbles/apps/triangles"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// each runs an application on ranks of this process, and passes each rank's result to check. The report must say that
// the verifier has found valid, the checked items, to be valid.
func each[C any, R interface{ Rows() [][2]string }](
	t *testing.T, job pebble.Config, run func(r *pebble.Rank, c C) (R, error), c C, valid string, check func(res R),
) {
	t.Helper()
	results := appstest.Must(appstest.Results(t, job, run, c))
	for _, res := range results {
		require.Contains(t, res.Rows(), [2]string{valid, "valid"})
		check(res)
	}
}

func on(ranks int) pebble.Config { return pebble.Config{Ranks: ranks} }

func eachComponents(t *testing.T, ranks int, c components.Config, want distgraph.Sizes) {
	t.Helper()
	for _, c.Method = range components.Methods {
		each(t, on(ranks), components.Run, c, "labels", func(res components.Result) {
			require.Equal(t, want, distgraph.Sizes{Groups: res.Components, Largest: res.Largest, Alone: res.Alone})
		})
	}
}

// sizesOf returns the sizes of the components of a twin.
func sizesOf(tb testing.TB, source distgraph.Source) (sizes distgraph.Sizes) {
	labels := appstest.Must(components.Serial(source))
	counts := map[uint64]uint64{}
	for _, label := range labels {
		counts[label]++
	}
	for _, n := range counts {
		sizes.Groups++
		sizes.Largest = max(sizes.Largest, n)
		if n == 1 {
			sizes.Alone++
		}
	}
	return sizes
}

// All ranks report the components of the twin. Few arcs join the giants of ranks, and the first arcs of all of their
// vertices lead away from these. Long paths go back and forth between ranks.
func TestComponents(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	halves, path := appstest.List{N: 200}, appstest.List{N: 500}
	for _, e := range clique(200).Edges { // each half is a clique
		if e.From/100 == e.To/100 {
			halves.Edges = append(halves.Edges, e)
		}
	}
	for _, v := range random.Perm(4) { // edges between the halves
		halves.Edges = append(halves.Edges, graph.Edge{From: uint64(v) + 50, To: 199})
	}
	order := random.Perm(int(path.N))
	for i := range order[1:] {
		path.Edges = append(path.Edges, graph.Edge{From: uint64(order[i]), To: uint64(order[i+1])})
	}
	for _, g := range []graph.Generator{halves.Generator(), path.Generator(), appstest.Kronecker(t, 9)} {
		source := distgraph.Source{Generator: g}
		for _, ranks := range []int{2, 3, 8} {
			eachComponents(t, ranks, components.Config{Source: source, Common: apps.Common{Seed: 7}}, sizesOf(t, source))
			startComponents(components.Hook)(t, source, 0).run(t, appstest.On(t, on(ranks)))
			startComponents(components.Propagate)(t, source, 0).run(t, appstest.On(t, on(ranks)))
		}
	}
}

// Public graphs have the numbers of components that their publishers state.
func TestComponentsOfRealGraphs(t *testing.T) {
	for name, want := range map[string]distgraph.Sizes{
		"soc-Epinions1.txt.gz": {Groups: 2, Largest: 75877}, "wiki-Vote.txt.gz": {Groups: 24, Largest: 7066},
		"astro-ph.metis.graph.gz": {Groups: 1029, Largest: 14845}, "memplus.mtx.gz": {Groups: 1, Largest: 17758},
	} {
		t.Run(name, func(t *testing.T) {
			source := distgraph.Source{Path: appstest.Data(t, name)}
			want.Alone = sizesOf(t, source).Alone
			eachComponents(t, 3, components.Config{Source: source}, want)
		})
	}
}

// Core numbers of public graphs are those of the twin. Those of a clique of 5 with a tail of 2 are known.
func TestCores(t *testing.T) {
	for _, name := range []string{"wiki-Vote.txt.gz", "astro-ph.metis.graph.gz"} {
		t.Run(name, func(t *testing.T) {
			source := distgraph.Source{Path: appstest.Data(t, name)}
			cores := appstest.Must(kcore.Serial(source))
			want := kcore.Sums{Largest: slices.Max(cores)}
			for _, core := range cores {
				want.Sum += core
				if core == want.Largest {
					want.InLargest++
				}
			}
			each(t, on(3), kcore.Run, kcore.Config{Source: source}, "core numbers", func(res kcore.Result) {
				require.Equal(t, want, kcore.Sums{Largest: res.Largest, InLargest: res.InLargest, Sum: res.NumberSum})
			})
		})
	}
	l := clique(5)
	l.N, l.Edges = 8, append(l.Edges, graph.Edge{From: 4, To: 5}, graph.Edge{From: 5, To: 6})
	c := kcore.Config{Source: distgraph.Source{Generator: l.Generator()}}
	each(t, on(3), kcore.Run, c, "core numbers", func(res kcore.Result) {
		require.Equal(t, []uint64{4, 5, 22, 3}, []uint64{res.Largest, res.InLargest, res.NumberSum, uint64(res.Rounds)})
	})
}

// triangleCounts are the publishers' numbers of triangles in public graphs.
var triangleCounts = map[string]uint64{
	"soc-Epinions1.txt.gz": 1_624_481, "wiki-Vote.txt.gz": 608_389, "astro-ph.metis.graph.gz": 756_019,
	"road-NY.gr.gz": 6_529,
}

// Public graphs have the numbers of triangles that their publishers state.
func TestTrianglesOfRealGraphs(t *testing.T) {
	for name, want := range triangleCounts {
		t.Run(name, func(t *testing.T) {
			c := triangles.Config{Source: distgraph.Source{Path: appstest.Data(t, name)}}
			each(t, on(3), triangles.Run, c, "counts", func(res triangles.Result) {
				require.Equal(t, want, res.Triangles)
				require.Positive(t, res.Recounted)
			})
		})
	}
}

// The check counts all triangles of a clique again, and those of a sample of a graph with many wedges.
func TestTriangles(t *testing.T) {
	c := triangles.Config{Source: distgraph.Source{Generator: clique(12).Generator()}}
	each(t, on(3), triangles.Run, c, "counts", func(res triangles.Result) {
		require.Equal(t, []uint64{220, 660, 12}, []uint64{res.Triangles, res.Wedges, res.Recounted})
		require.InDelta(t, 1, res.Transitivity, 1e-12)
	})
	c.Source = distgraph.Source{Generator: appstest.Kronecker(t, 11)}
	want := appstest.Must(triangles.Serial(c.Source))
	for _, c.Seed = range []uint64{1, 2} {
		each(t, on(3), triangles.Run, c, "counts", func(res triangles.Result) {
			require.Equal(t, want, res.Triangles)
			require.Positive(t, res.Recounted)
			require.Less(t, res.Recounted, res.Vertices)
		})
	}
}

func pair(first, second uint64, similarity float64) jaccard.Pair {
	return jaccard.Pair{First: distgraph.Label{ID: first}, Second: distgraph.Label{ID: second}, Similarity: similarity}
}

// In public graphs the sum of the common neighbours of the ends of all edges is 3 for each triangle of the publishers'
// counts. Similarities are those of the twin.
func TestSimilaritiesOfRealGraphs(t *testing.T) {
	for name, count := range triangleCounts {
		if name == "soc-Epinions1.txt.gz" && !appstest.Long {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := jaccard.Config{Source: distgraph.Source{Path: appstest.Data(t, name)}, Threshold: 0.25}
			pairs := similarities(t, c.Source)
			sum, similar, most := 0.0, uint64(0), 0.0
			for _, p := range pairs {
				sum += p.Similarity
				most = max(most, p.Similarity)
				if p.Similarity >= c.Threshold {
					similar++
				}
			}
			each(t, on(3), jaccard.Run, c, "counts", func(res jaccard.Result) {
				require.Equal(t, []uint64{3 * count, uint64(len(pairs)), similar}, []uint64{res.InCommon, res.Pairs, res.Similar})
				require.InEpsilon(t, sum, res.Sum, 1e-9)
				require.Equal(t, most, res.Highest[0].Similarity)
				require.Positive(t, res.Recounted)
			})
		})
	}
}

// All ranks report similarities: of two triangles that share an edge, with a tail, whose vertices have ids. In a clique
// all pairs are alike, and the report has the first; in a graph with many wedges a sample is checked.
func TestSimilarities(t *testing.T) {
	path := appstest.Write(t, "some.el", "30 20\n20 10\n10 30\n20 40\n40 10\n40 50\n50 40\n50 50\n")
	for _, order := range []distgraph.Order{distgraph.AsGiven, distgraph.ByDegree} {
		c := jaccard.Config{Source: distgraph.Source{Path: path, Order: order, Undirected: true}}
		for _, ranks := range []int{1, 3, 8} {
			each(t, on(ranks), jaccard.Run, c, "counts", func(res jaccard.Result) {
				require.Equal(t, []uint64{6, 6, 1, 1, 6},
					[]uint64{res.Pairs, res.InCommon, res.Zero, res.Similar, res.Recounted})
				require.InDelta(t, 1.4, res.Sum, 1e-12)
				require.Equal(t, []jaccard.Pair{
					pair(10, 20, 0.5), pair(10, 30, 0.25), pair(20, 30, 0.25), pair(10, 40, 0.2), pair(20, 40, 0.2),
				}, res.Highest)
			})
		}
	}
	source := distgraph.Source{Generator: clique(12).Generator(), Order: distgraph.ByDegree}
	c := jaccard.Config{Source: source, Threshold: 10.0 / 12}
	each(t, on(3), jaccard.Run, c, "counts", func(res jaccard.Result) {
		require.Equal(t, []uint64{66, 0, 66, 660}, []uint64{res.Pairs, res.Zero, res.Similar, res.InCommon})
		require.InDelta(t, 10.0/12, res.Mean, 1e-12)
		for i, p := range res.Highest {
			require.Equal(t, pair(0, uint64(i+1), 10.0/12), p)
		}
		require.Len(t, res.Highest, 5)
	})
	for _, seed := range []uint64{1, 2} {
		c := jaccard.Config{Source: distgraph.Source{Generator: appstest.Kronecker(t, 11)}, Common: apps.Common{Seed: seed}}
		each(t, on(2), jaccard.Run, c, "counts", func(res jaccard.Result) {
			require.Positive(t, res.Recounted)
			require.Less(t, res.Recounted, res.Pairs)
		})
	}
}

// BenchmarkJaccard reports edges per second.
func BenchmarkJaccard(b *testing.B) {
	for _, ranks := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d ranks", ranks), func(b *testing.B) {
			c := jaccard.Config{Source: distgraph.Source{Generator: appstest.Kronecker(b, 14)},
				Common: apps.Common{SkipValidation: true}}
			appstest.Rate(b, appstest.Mem(ranks), func(r *pebble.Rank) (uint64, float64, uint64, error) {
				res, err := jaccard.Run(r, c)
				return res.Edges, res.Seconds, res.Errors, err
			})
		})
	}
}

// All ranks report the communities of the twin. The middle of a path of three and its ends exchange their labels in
// every iteration; a bridge joins two cliques, whose labels settle before the last iteration; and arcs in both
// directions count twice.
func TestCommunities(t *testing.T) {
	bridge := clique(4)
	bridge.N = 9
	for _, e := range clique(4).Edges {
		bridge.Edges = append(bridge.Edges, graph.Edge{From: e.From + 4, To: e.To + 4})
	}
	bridge.Edges = append(bridge.Edges, graph.Edge{From: 3, To: 4})
	for name, c := range map[string]struct {
		l          appstest.List
		iterations int // 0: the default
		labels     []uint64
		took       int
		changed    uint64
	}{
		"path of three": {appstest.List{N: 3, Edges: edges(0, 1, 1, 2)}, 7, []uint64{1, 0, 1}, 7, 3},
		"even":          {appstest.List{N: 3, Edges: edges(0, 1, 1, 2)}, 8, []uint64{0, 1, 0}, 8, 3},
		"bridge":        {bridge, 0, []uint64{0, 0, 0, 0, 4, 4, 4, 4, 8}, 3, 0},
		"both ways": {appstest.List{N: 4, Directed: true, Edges: edges(3, 1, 3, 2, 2, 3)}, 1,
			[]uint64{0, 3, 3, 2}, 1, 3},
		"duplicates": {appstest.List{N: 4, Directed: true, Edges: edges(3, 1, 3, 2, 3, 2, 3, 3, 3, 3)}, 1,
			[]uint64{0, 3, 3, 1}, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			config := communities.Config{Source: distgraph.Source{Generator: c.l.Generator()}, Iterations: c.iterations}
			require.Equal(t, c.labels, appstest.Must(communities.Serial(config)))
			startCommunities(t, config.Source, uint64(c.iterations)).run(t, appstest.On(t, on(2)))
			each(t, on(3), communities.Run, config, "labels", func(res communities.Result) {
				require.Equal(t, c.took, res.Iterations)
				require.Equal(t, c.changed, res.Changed)
				want := map[uint64]uint64{}
				for _, label := range c.labels {
					want[label]++
				}
				require.Equal(t, uint64(len(want)), res.Communities)
				require.Equal(t, slices.Max(slices.Collect(maps.Values(want))), res.Largest)
			})
		})
	}
}

// Scores in small graphs that are known by hand: in a ring all are alike, and vertices without arcs lose their score.
func TestKnownScores(t *testing.T) {
	const leaf = 0.05 * (1 + 0.425*2.7/(1-0.85*0.85)) // of a star
	loop := appstest.List{N: 2, Directed: true, Edges: edges(0, 1, 0, 1, 1, 1)}
	for name, c := range map[string]struct {
		l         appstest.List
		dangling  graph.Dangling
		selfLoops bool
		want      []float64
	}{
		"ring": {appstest.List{N: 3, Directed: true, Edges: edges(0, 1, 1, 2, 2, 0)}, graph.Lose, false,
			[]float64{1. / 3, 1. / 3, 1. / 3}},
		"lost":   {loop, graph.Lose, false, []float64{0.075, 0.075 * 1.85}},
		"spread": {loop, graph.Spread, false, []float64{0.5 / 1.425, 0.925 / 1.425}},
		"self":   {loop, graph.Self, false, []float64{0.075, 0.925}},
		"loops":  {loop, graph.Spread, true, []float64{0.075, 0.925}},
		"star": {appstest.List{N: 3, Edges: edges(0, 1, 2, 0)}, graph.Lose, true,
			[]float64{0.05 * 2.7 / (1 - 0.85*0.85), leaf, leaf}},
	} {
		t.Run(name, func(t *testing.T) {
			config := exactly(distgraph.Source{Generator: c.l.Generator(), SelfLoops: c.selfLoops})
			config.Dangling = c.dangling
			twin := appstest.Must(pagerank.Serial(config))
			require.InDeltaSlice(t, c.want, twin, 1e-9)
			startPageRank(config)(t, config.Source, 0).run(t, appstest.On(t, on(2)))
		})
	}
}

// All ranks report scores, converged or not.
func TestScores(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 9)}
	want := appstest.Must(pagerank.Serial(exactly(source)))
	sum := 0.0
	for _, score := range want {
		sum += score
	}
	for _, iterations := range []int{2, 50} {
		var phases []string
		var top [][]distgraph.Score
		c := pagerank.Config{Source: source, Iterations: iterations, Common: apps.Common{Seed: 7}}
		c.Phase = func(what string) { phases = append(phases, what) }
		each(t, on(3), pagerank.Run, c, "scores", func(res pagerank.Result) {
			require.Equal(t, iterations == 50, res.Converged)
			require.Equal(t, res.Converged, res.Iterations < iterations)
			require.Positive(t, res.Residual)
			require.LessOrEqual(t, res.Residual, res.Change)
			require.Len(t, res.Top, 5)
			top = append(top, res.Top)
			require.Equal(t, top[0], res.Top)
			if res.Converged {
				require.InDelta(t, sum, res.ScoreSum, 1e-3)
				require.InDelta(t, want[res.Top[0].Vertex.ID], res.Top[0].Score, 1e-4)
			}
		})
		require.Equal(t, "iterations", phases[len(phases)-1])
	}
}

// The report has the centralities of the twin, with the highest. An overflow of paths is an error on all ranks.
func TestCentralities(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 9)}
	for _, mode := range centrality.Modes {
		c := centrality.Config{Source: source, Mode: mode, SourceCount: 3, Common: apps.Common{Seed: 7}}
		each(t, on(3), centrality.Run, c, "centralities", func(res centrality.Result) {
			require.Len(t, res.Sources.IDs, 3)
			want := appstest.Must(centrality.Serial(source, res.Sources.IDs))
			sum := 0.0
			for _, score := range want {
				sum += score
			}
			require.InEpsilon(t, sum, res.ScoreSum, centrality.Tolerance)
			slices.Sort(want)
			slices.Reverse(want)
			for i, s := range res.Top {
				require.InEpsilon(t, want[i], s.Score, centrality.Tolerance)
			}
		})
	}
	source.Generator = ladder(2200).Generator()
	_, err := appstest.Results(t, on(3), centrality.Run, centrality.Config{Source: source, Sources: distgraph.IDs(0)})
	require.ErrorIs(t, err, centrality.ErrPaths)
	_, err = centrality.Serial(source, []uint64{0})
	require.ErrorIs(t, err, centrality.ErrPaths)
}

// The report has the distances of the twin. With arcs of weight 1, they are those of breadth-first search, which are
// known for a public graph. Weights of a file below 0 are an error.
func TestDistances(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 9), Weights: distgraph.Random, Seed: 5}
	c := sssp.Config{Source: source, RootCount: 3, Common: apps.Common{Seed: 7}, Unfiltered: true}
	each(t, pebble.Config{Ranks: 3, Cache: 1024}, sssp.Run, c, "trees", func(res sssp.Result) {
		want := appstest.Must(sssp.Serial(source, res.Roots.IDs))
		require.Len(t, want, 3)
		for i, w := range want {
			requireSameSum(t, w, sssp.Summary{
				Reached: res.Reached[i], Farthest: res.Farthest[i], Sum: res.DistanceSums[i], Traversed: w.Traversed,
			})
		}
		require.Positive(t, res.Counters.Merged)
	})
	source = distgraph.Source{Path: appstest.Data(t, "wiki-Vote.txt.gz"), Weights: distgraph.Ones}
	each(t, on(3), sssp.Run, sssp.Config{Source: source, Roots: distgraph.IDs(30)}, "trees", func(res sssp.Result) {
		require.Equal(t, []uint64{2316}, res.Reached)
		require.Equal(t, []float64{5, 6920}, []float64{res.Farthest[0], res.DistanceSums[0]})
	})
	source = distgraph.Source{Path: appstest.Data(t, "memplus.mtx.gz"), Weights: distgraph.Given}
	_, err := appstest.Results(t, on(3), sssp.Run, sssp.Config{Source: source})
	require.ErrorContains(t, err, "is out of range: expected a finite number of 0 or more")
}
