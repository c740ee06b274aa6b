package sssp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps"
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
	return appstest.Results(tb, c, Run, config)
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
		return fmt.Errorf("%d breaches, the first %+v", found.Count, found.First[0])
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
						requireTwin(t, appstest.On(t, pebble.Config{Ranks: ranks}), source, Tuning{}, 0)
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
		requireTwin(rt, appstest.On(t, c), source, tuning, vertex.Draw(rt, "root"))
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

// Where arcs weigh 1 each, distances are those of breadth-first search, which are known. Weights of a file that are
// below 0 are refused.
func TestKnownAnswers(t *testing.T) {
	source := distgraph.Source{Path: appstest.Data(t, "wiki-Vote.txt.gz"), Weights: distgraph.Ones}
	results, err := run(t, pebble.Config{Ranks: 3}, Config{Source: source, Roots: []uint64{30}})
	require.NoError(t, err)
	require.Zero(t, results[0].Errors, results[0].Wrong)
	require.Equal(t, []uint64{2316}, results[0].Reached)
	require.Equal(t, []float64{5}, results[0].Farthest)
	require.Equal(t, []float64{6920}, results[0].DistanceSums)
	source = distgraph.Source{Path: appstest.Data(t, "memplus.mtx.gz"), Weights: distgraph.Given}
	_, err = run(t, pebble.Config{Ranks: 2}, Config{Source: source})
	require.ErrorIs(t, err, graph.ErrRange)
}

// Buckets give back all that joined, in the order of their buckets as long as none joins below, and any that does goes
// first.
func TestBuckets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	b := buckets[uint32]{delta: 0.5}
	for range 3 {
		b.clear()
		var want []float64
		for i := range 5000 {
			dist := math.Floor(random.Float64() * 4 * bucketCount)
			if i%100 == 0 {
				dist = 1e300 * random.Float64()
			}
			want = append(want, dist)
			b.join(uint32(i), dist)
		}
		slices.Sort(want)
		var got []float64
		for !b.isEmpty() {
			at := b.nearest()
			for w, ok := b.pop(at); ok; w, ok = b.pop(at) {
				require.Equal(t, at, b.of(w.dist))
				got = append(got, w.dist)
			}
		}
		require.Len(t, got, len(want))
		for i := range got {
			require.Equal(t, b.of(want[i]), b.of(got[i]))
		}
	}
}

func TestBucketsThatFall(t *testing.T) {
	b := buckets[uint32]{delta: 1}
	b.clear()
	dists := []float64{5000, 5000 + bucketCount - 1, 9000, 3, 3 + bucketCount, 5000 - bucketCount, 1e18, 4}
	for v, dist := range dists {
		b.join(uint32(v), dist)
	}
	var got []float64
	for !b.isEmpty() {
		if w, ok := b.pop(b.nearest()); ok {
			got = append(got, w.dist)
		}
	}
	slices.Sort(dists)
	require.Equal(t, dists, got)
}

func TestRoundUp(t *testing.T) {
	for _, d := range []float64{0, 1, 1.0 / 3, 1e-300, 1e300, 16777217, math.Inf(1)} {
		require.GreaterOrEqual(t, float64(roundUp(d)), d)
	}
	require.Equal(t, float32(16777218), roundUp(16777217))
}

// square is four vertices in a square, and a fifth and a sixth apart, joined by an arc without weight. Undirected, the
// far corner is nearer by 1.
var square = appstest.List{
	N:       6,
	Edges:   []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 3}, {From: 3, To: 2}, {From: 4, To: 5}},
	Weights: []float64{1, 1, 1, 2, 0},
}

// judge searches l from vertex 0 on some ranks, lets change spoil the result, and returns what the validator says of
// it.
func judge(tb testing.TB, ranks int, l appstest.List, change func(parent []int64, dist []float64)) (breaches uint64, texts []string) {
	tb.Helper()
	dist, parent := graph.Dijkstra(graph.NewWeightedCSR(l.N, l.Edges, l.Weights, l.Directed), 0)
	change(parent, dist)
	require.NoError(tb, appstest.Job(tb, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, distgraph.Source{Generator: l.Generator(), Weights: distgraph.Given})
		if err != nil {
			return err
		}
		made, err := NewSearch(g, Tuning{})
		if err != nil {
			return err
		}
		s := made.(*search[uint32])
		s.root = 0
		for v := range s.parent {
			s.parent[v], s.dist[v] = uint32(parent[g.First+uint64(v)]), dist[g.First+uint64(v)]
		}
		found, err := s.Validate()
		if err != nil {
			return err
		}
		said, err := g.Describe(found, Rules)
		if err != nil {
			return err
		}
		total, err := apps.Sum(r, found.Count)
		if r.ID() == 0 {
			breaches, texts = total, said
		}
		return err
	}))
	return breaches, texts
}

// Each rule is broken in each way it can be.
func TestEachRule(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		change func(parent []int64, dist []float64)
		says   string
	}{
		"root adopted":    {func(parent []int64, _ []float64) { parent[0] = 1 }, "rule 1: the root 0 has parent 1, not itself"},
		"root off":        {func(_ []int64, dist []float64) { dist[0] = 1 }, "rule 2: the root 0 is at distance 1, not 0"},
		"negative":        {func(_ []int64, dist []float64) { dist[2] = -1 }, "rule 2: vertex 2 is at distance -1"},
		"no number":       {func(_ []int64, dist []float64) { dist[2] = math.NaN() }, "rule 2: vertex 2 is at distance NaN"},
		"too far":         {func(_ []int64, dist []float64) { dist[2] = 2.5 }, "rule 3: arc 1 -> 2 leads to distance 2, and the vertex is at 2.5"},
		"too near":        {func(_ []int64, dist []float64) { dist[2] = 1.5 }, "rules 1, 2: vertex 2 at distance 1.5 with parent 1: no arcs lead from the root along parents to it in that distance"},
		"other parent":    {func(parent []int64, _ []float64) { parent[2] = 3 }, "rules 1, 2: vertex 2 at distance 2 with parent 3: no arcs lead from the root along parents to it in that distance"},
		"not reached":     {func(parent []int64, dist []float64) { parent[2], dist[2] = graph.Unreached, inf }, "rule 3: arc 1 -> 2 leads to distance 2, and the vertex is not reached"},
		"distance alone":  {func(_ []int64, dist []float64) { dist[4] = 1 }, "rule 1: vertex 4 is reached at distance 1 but has no parent"},
		"parent alone":    {func(parent []int64, _ []float64) { parent[4] = 1 }, "rule 1: vertex 4 has parent 1 but no distance"},
		"no such arc":     {func(parent []int64, dist []float64) { parent[4], dist[4] = 0, 1 }, "rules 1, 2: vertex 4 at distance 1 with parent 0: no arcs lead from the root along parents to it in that distance"},
		"weightless ring": {func(parent []int64, dist []float64) { parent[4], parent[5], dist[4], dist[5] = 5, 4, 1, 1 }, "rules 1, 2: vertex 4 at distance 1 with parent 5: no arcs lead from the root along parents to it in that distance"},
	} {
		for _, ranks := range []int{1, 3, 8} {
			t.Run(fmt.Sprintf("%s, %d ranks", name, ranks), func(t *testing.T) {
				breaches, texts := judge(t, ranks, square, func([]int64, []float64) {})
				require.Zero(t, breaches, texts)
				breaches, texts = judge(t, ranks, square, c.change)
				require.NotZero(t, breaches)
				require.Contains(t, texts, c.says)
			})
		}
	}
}

// On small random graphs, with entries of a true result changed at random, the validator finds something exactly when
// its serial twin does.
func TestValidateAgrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Uint64Range(1, 7).Draw(rt, "vertices")
		vertex := rapid.Uint64Range(0, n-1)
		l := appstest.List{N: n, Directed: rapid.Bool().Draw(rt, "directed"), Weights: []float64{}}
		weight := rapid.SampledFrom([]float64{0, 1, 2})
		for range rapid.IntRange(0, 16).Draw(rt, "edges") {
			l.Edges = append(l.Edges, graph.Edge{From: vertex.Draw(rt, "from"), To: vertex.Draw(rt, "to")})
			l.Weights = append(l.Weights, weight.Draw(rt, "weight"))
		}
		var twin error
		breaches, texts := judge(t, rapid.IntRange(1, 4).Draw(rt, "ranks"), l, func(parent []int64, dist []float64) {
			for range rapid.IntRange(0, 3).Draw(rt, "changes") {
				if rapid.Bool().Draw(rt, "change parent") {
					parent[vertex.Draw(rt, "vertex")] = rapid.Int64Range(graph.Unreached, int64(n)-1).Draw(rt, "parent")
				} else {
					dist[vertex.Draw(rt, "vertex")] = rapid.SampledFrom([]float64{0, 1, 2, 3, math.Inf(1)}).Draw(rt, "dist")
				}
			}
			twin = graph.ValidatePaths(graph.NewWeightedCSR(l.N, l.Edges, l.Weights, l.Directed), 0, parent, dist)
		})
		if (twin != nil) != (breaches > 0) {
			rt.Fatalf("the twin says %v, the validator %v", twin, texts)
		}
	})
}
