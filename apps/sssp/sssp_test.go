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
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Buckets return all vertices that joined, in the order of their buckets while none joins below. A vertex that does
// join below comes first.
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

// square is a square of four vertices, and an arc of weight 0 apart. Undirected, the far corner is nearer by 1.
var square = appstest.List{
	N:       6,
	Edges:   []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 3}, {From: 3, To: 2}, {From: 4, To: 5}},
	Weights: []float64{1, 1, 1, 2, 0},
}

// judge searches l from vertex 0 on some ranks, spoils the result by change, and returns the validator's verdict.
func judge(tb testing.TB, ranks int, l appstest.List, change func(parent []int64, dist []float64)) (breaches uint64,
	texts []string) {
	tb.Helper()
	dist, parent := graph.Dijkstra(graph.NewWeightedCSR(l.N, l.Edges, l.Weights, l.Directed), 0)
	change(parent, dist)
	require.NoError(tb, appstest.Job(tb, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g := appstest.Must(distgraph.Build(r, distgraph.Source{Generator: l.Generator(), Weights: distgraph.Given}))
		made := appstest.Must(NewSearch(g, Tuning{}))
		s := made.(*search[uint32])
		s.root = 0
		for v := range s.parent {
			s.parent[v], s.dist[v] = uint32(parent[g.First+uint64(v)]), dist[g.First+uint64(v)]
		}
		found := appstest.Must(s.Validate())
		said := appstest.Must(g.Describe(found, Rules))
		total, err := apps.Sum(r, found.Count)
		if r.ID() == 0 {
			breaches, texts = total, said
		}
		return err
	}))
	return breaches, texts
}

// Each rule is broken in each possible way.
func TestEachRule(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		change func(parent []int64, dist []float64)
		says   string
	}{
		"root adopted": {func(parent []int64, _ []float64) { parent[0] = 1 },
			"rule 1: the root 0 has parent 1, not itself"},
		"root off":  {func(_ []int64, dist []float64) { dist[0] = 1 }, "rule 2: the root 0 is at distance 1, not 0"},
		"negative":  {func(_ []int64, dist []float64) { dist[2] = -1 }, "rule 2: vertex 2 is at distance -1"},
		"no number": {func(_ []int64, dist []float64) { dist[2] = math.NaN() }, "rule 2: vertex 2 is at distance NaN"},
		"too far": {func(_ []int64, dist []float64) { dist[2] = 2.5 },
			"rule 3: arc 1 -> 2 leads to distance 2, and the vertex is at 2.5"},
		"too near": {func(_ []int64, dist []float64) { dist[2] = 1.5 },
			"rules 1, 2: vertex 2 at distance 1.5 with parent 1: no arcs lead from the root along parents to it in " +
				"that distance"},
		"other parent": {func(parent []int64, _ []float64) { parent[2] = 3 },
			"rules 1, 2: vertex 2 at distance 2 with parent 3: no arcs lead from the root along parents to it in that distance"},
		"not reached": {func(parent []int64, dist []float64) { parent[2], dist[2] = graph.Unreached, inf },
			"rule 3: arc 1 -> 2 leads to distance 2, and the vertex is not reached"},
		"distance alone": {func(_ []int64, dist []float64) { dist[4] = 1 },
			"rule 1: vertex 4 is reached at distance 1 but has no parent"},
		"parent alone": {func(parent []int64, _ []float64) { parent[4] = 1 },
			"rule 1: vertex 4 has parent 1 but no distance"},
		"no such arc": {func(parent []int64, dist []float64) { parent[4], dist[4] = 0, 1 },
			"rules 1, 2: vertex 4 at distance 1 with parent 0: no arcs lead from the root along parents to it in that distance"},
		"weightless ring": {func(parent []int64, dist []float64) { parent[4], parent[5], dist[4], dist[5] = 5, 4, 1, 1 },
			"rules 1, 2: vertex 4 at distance 1 with parent 5: no arcs lead from the root along parents to it in that distance"},
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

// On small random graphs, with random changes of a true result, the validator agrees with its serial twin.
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
