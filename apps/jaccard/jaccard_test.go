package jaccard

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/graphtest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// prepare makes a kernel.
func prepare(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, 0, nil) }

// find finds all pairs, and puts those of each rank at its first vertex in made. A breach is an error.
func find(r *pebble.Rank, source distgraph.Source, made [][]graph.Pair) error {
	source.Undirected = true
	found := func(k Kernel) [][]graph.Pair { return [][]graph.Pair{k.Pairs()} }
	return graphtest.Checked(r, source, prepare, found, made)
}

// load is the graph of a source, as Run has it.
func load(tb require.TestingT, source distgraph.Source) *graph.CSR {
	source.Undirected = true
	c, _, err := source.Load()
	require.NoError(tb, err)
	return c
}

// inOrder are all pairs that ranks have found.
func inOrder(made [][]graph.Pair) []graph.Pair {
	all := append([]graph.Pair{}, slices.Concat(made...)...)
	slices.SortFunc(all, func(a, b graph.Pair) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	return all
}

// serial is the twin.
func serial(tb require.TestingT, source distgraph.Source) []graph.Pair {
	pairs, err := Serial(source)
	require.NoError(tb, err)
	return append([]graph.Pair{}, pairs...)
}

// requireTwin requires that a job finds what the serial twin does.
func requireTwin(
	tb require.TestingT, job func(f func(r *pebble.Rank) error) error, source distgraph.Source,
) []graph.Pair {
	made := make([][]graph.Pair, load(tb, source).Vertices())
	require.NoError(tb, job(func(r *pebble.Rank) error { return find(r, source, made) }))
	want := serial(tb, source)
	require.Equal(tb, want, inOrder(made))
	return want
}

// brute finds similarities by sets of neighbours.
func brute(c *graph.CSR) []graph.Pair {
	sets := make([]map[uint64]bool, c.Vertices())
	for v := range c.Vertices() {
		sets[v] = map[uint64]bool{}
		for _, w := range c.Row(v) {
			if w != v {
				sets[v][w] = true
			}
		}
	}
	pairs := []graph.Pair{}
	for u := range c.Vertices() {
		for v := u + 1; v < c.Vertices(); v++ {
			if !sets[u][v] {
				continue
			}
			both, either := 0, 0
			for w := range c.Vertices() {
				if sets[u][w] && sets[v][w] {
					both++
				}
				if sets[u][w] || sets[v][w] {
					either++
				}
			}
			pairs = append(pairs, graph.Pair{First: u, Second: v, Similarity: float64(both) / float64(either)})
		}
	}
	return pairs
}

// Similarities are everywhere those of the twin; lists are longer than a pebble, and rows much longer than lists.
func TestEverywhere(t *testing.T) {
	for _, source := range []distgraph.Source{
		{Generator: appstest.Kronecker(t, 8)}, {Generator: appstest.ErdosRenyi(t, 6, 8), Wide: true},
	} {
		want := serial(t, source)
		t.Run(source.Name(), func(t *testing.T) {
			appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				made := make([][]graph.Pair, load(t, source).Vertices())
				return func(r *pebble.Rank) error { return find(r, source, made) },
					func(t *testing.T) { require.Equal(t, want, inOrder(made)) }
			})
		})
	}
}

// The shape of the network makes no difference.
func TestMatrix(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 6)}
	turn := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		turn++
		source.Order = distgraph.Orders[turn%len(distgraph.Orders)]
		requireTwin(t, func(f func(r *pebble.Rank) error) error { return s.Run(t, f) }, source)
	})
}

// Odd graphs, with more ranks than vertices among them.
func TestOddGraphs(t *testing.T) {
	graphtest.OddGraphs(t, func(t *testing.T, ranks int, source distgraph.Source) {
		got := requireTwin(t, appstest.On(t, pebble.Config{Ranks: ranks}), source)
		require.Equal(t, brute(load(t, source)), got)
	})
}

// On small random graphs similarities are those of sets.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		source := graphtest.DrawSource(rt, 14, 60)
		job := pebble.Config{
			Ranks: rapid.IntRange(1, 4).Draw(rt, "ranks"), Topology: route.Hypercube,
			Coalesce: rapid.SampledFrom([]int{1, 64}).Draw(rt, "coalesce"),
		}
		require.Equal(rt, brute(load(rt, source)), requireTwin(rt, appstest.On(t, job), source))
	})
}

// A search by steps finds what looking at everything does.
func TestAmong(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(name string, most int) []uint32 {
			drawn := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 300), 0, most, rapid.ID).Draw(rt, name)
			slices.Sort(drawn)
			return drawn
		}
		list, row := draw("list", 20), draw("row", 200)
		want := uint32(0)
		for _, v := range list {
			if slices.Contains(row, v) {
				want++
			}
		}
		require.Equal(rt, want, among(list, row))
	})
}

// In public graphs the ends of all edges have together 3 common neighbours for each triangle that their publishers
// count, and similarities are those of the twin.
func TestRealGraphs(t *testing.T) {
	for name, triangles := range graphtest.Triangles {
		t.Run(name, func(t *testing.T) {
			c := Config{Source: distgraph.Source{Path: appstest.Data(t, name)}, Threshold: 0.25}
			results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, c)
			require.NoError(t, err)
			pairs := serial(t, c.Source)
			sum, similar, most := 0.0, uint64(0), 0.0
			for _, p := range pairs {
				sum += p.Similarity
				most = max(most, p.Similarity)
				if p.Similarity >= c.Threshold {
					similar++
				}
			}
			for _, res := range results {
				require.Zero(t, res.Errors, res.Wrong)
				require.Equal(t, 3*triangles, res.InCommon)
				require.Equal(t, []uint64{uint64(len(pairs)), similar}, []uint64{res.Pairs, res.Similar})
				require.InEpsilon(t, sum, res.Sum, 1e-9)
				require.Equal(t, most, res.Highest[0].Similarity)
				require.Positive(t, res.Recounted)
			}
		})
	}
}

// Run reports the same on all ranks: of two triangles that share an edge, with a tail, whose vertices have ids.
func TestRun(t *testing.T) {
	path := appstest.Write(t, "some.el", "30 20\n20 10\n10 30\n20 40\n40 10\n40 50\n50 40\n50 50\n")
	for _, order := range []distgraph.Order{distgraph.AsGiven, distgraph.ByDegree} {
		source := distgraph.Source{Path: path, Order: order, Undirected: true}
		for _, ranks := range []int{1, 3, 8} {
			results, err := appstest.Results(t, pebble.Config{Ranks: ranks}, Run, Config{Source: source})
			require.NoError(t, err)
			for _, res := range results {
				require.Zero(t, res.Errors, res.Wrong)
				require.Equal(t, []uint64{6, 6, 1, 1, 6},
					[]uint64{res.Pairs, res.InCommon, res.Zero, res.Similar, res.Recounted})
				require.InDelta(t, 1.4, res.Sum, 1e-12)
				require.Equal(t, []graph.Pair{
					{First: 20, Second: 10, Similarity: 0.5}, {First: 30, Second: 20, Similarity: 0.25},
					{First: 30, Second: 10, Similarity: 0.25}, {First: 20, Second: 40, Similarity: 0.2},
					{First: 10, Second: 40, Similarity: 0.2},
				}, res.Highest)
				require.Contains(t, res.Rows(), [2]string{"counts", "valid"})
			}
		}
	}
}

// Of a clique all pairs are alike, and those told are the first; of a graph with many wedges a sample is checked.
func TestSample(t *testing.T) {
	clique := appstest.List{N: 12}
	for v := range clique.N {
		for w := range v {
			clique.Edges = append(clique.Edges, graph.Edge{From: v, To: w})
		}
	}
	source := distgraph.Source{Generator: clique.Generator(), Order: distgraph.ByDegree}
	results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, Config{Source: source, Threshold: 10.0 / 12})
	require.NoError(t, err)
	for _, res := range results {
		require.Zero(t, res.Errors, res.Wrong)
		require.Equal(t, []uint64{66, 0, 66, 660}, []uint64{res.Pairs, res.Zero, res.Similar, res.InCommon})
		require.InDelta(t, 10.0/12, res.Mean, 1e-12)
		for i, p := range res.Highest {
			require.Equal(t, graph.Pair{First: 0, Second: uint64(i + 1), Similarity: 10.0 / 12}, p)
		}
		require.Len(t, res.Highest, 5)
	}
	for _, seed := range []uint64{1, 2} {
		c := Config{Source: distgraph.Source{Generator: appstest.Kronecker(t, 11)}, Seed: seed}
		results, err = appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.NoError(t, err)
		for _, res := range results {
			require.Zero(t, res.Errors, res.Wrong)
			require.Positive(t, res.Recounted)
			require.Less(t, res.Recounted, res.Pairs)
		}
	}
}

func TestMistakes(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1, Directed: true}.Generator()}
	weighed := good
	weighed.Weights = distgraph.Ones
	for says, c := range map[string]Config{
		"no graph: give a file or a generator":          {},
		"jaccard: arcs count 1 each: leave weights out": {Source: weighed},
		"jaccard: threshold is -1: give a number above": {Source: good, Threshold: -1},
		"jaccard: threshold is 1.5: give a number":      {Source: good, Threshold: 1.5},
		"jaccard: threshold is NaN: give a number":      {Source: good, Threshold: math.NaN()},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
	require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, good)
		if err != nil {
			return err
		}
		_, err = prepare(g)
		return err
	}), "which is directed: build it with arcs that lead both ways")
}

// A count that is changed after it was found is told, in an ordered graph too.
func TestRule(t *testing.T) {
	edges := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}, {From: 3, To: 4}}
	l := appstest.List{N: 5, Edges: edges}
	for _, ranks := range []int{1, 3} {
		for _, order := range []distgraph.Order{distgraph.AsGiven, distgraph.ByDegree} {
			for was, says := range map[uint32]string{
				0: "vertices 0 and 1 had 0 neighbours in common, and have 1",
				2: "vertices 0 and 1 had 2 neighbours in common, and have 1",
			} {
				graphtest.Breach(t, ranks, distgraph.Source{Generator: l.Generator(), Order: order}, prepare,
					func(_ *distgraph.Graph, k Kernel) {
						for at := range k.(*matching[uint32]).common {
							k.(*matching[uint32]).common[at] = was
						}
					}, broken, says)
			}
		}
	}
}

// BenchmarkJaccard tells edges a second.
func BenchmarkJaccard(b *testing.B) {
	for _, ranks := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d ranks", ranks), func(b *testing.B) {
			c := Config{Source: distgraph.Source{Generator: appstest.Kronecker(b, 14)}, SkipValidation: true}
			appstest.Rate(b, appstest.Mem(ranks), func(r *pebble.Rank) (apps.Report, uint64, error) {
				res, err := Run(r, c)
				return res.Report.Report, res.Edges, err
			})
		})
	}
}
