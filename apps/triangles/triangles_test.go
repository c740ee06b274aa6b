package triangles

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/graphtest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// count counts triangles, of each vertex in made, each rank in its own part. A breach is an error.
func count(r *pebble.Rank, source distgraph.Source, made []uint64) error {
	source.Undirected = true
	prepare := func(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, 0, nil) }
	return graphtest.Checked(r, source, prepare, Kernel.Middles, made)
}

func sum(made []uint64) (n uint64) {
	for _, m := range made {
		n += m
	}
	return n
}

// vertices is how many the graph of a source has.
func vertices(tb require.TestingT, source distgraph.Source) uint64 {
	c, _, err := source.Load()
	require.NoError(tb, err)
	return c.Vertices()
}

// brute counts triangles by trying all sets of three vertices.
func brute(tb require.TestingT, source distgraph.Source) (n uint64) {
	source.Undirected = true
	c, _, err := source.Load()
	require.NoError(tb, err)
	joined := map[[2]uint64]bool{}
	for v := range c.Vertices() {
		for _, w := range c.Row(v) {
			joined[[2]uint64{v, w}] = v != w
		}
	}
	for u := range c.Vertices() {
		for v := range u {
			for w := range v {
				if joined[[2]uint64{u, v}] && joined[[2]uint64{v, w}] && joined[[2]uint64{u, w}] {
					n++
				}
			}
		}
	}
	return n
}

// requireTwin requires that a job counts what the serial twin does.
func requireTwin(tb require.TestingT, job func(f func(r *pebble.Rank) error) error, source distgraph.Source) uint64 {
	want, err := Serial(source)
	require.NoError(tb, err)
	made := make([]uint64, vertices(tb, source))
	require.NoError(tb, job(func(r *pebble.Rank) error { return count(r, source, made) }))
	require.Equal(tb, want, sum(made))
	return want
}

// The count is everywhere that of the twin; lists are longer than a pebble.
func TestEverywhere(t *testing.T) {
	for _, source := range []distgraph.Source{
		{Generator: appstest.Kronecker(t, 8)}, {Generator: appstest.ErdosRenyi(t, 6, 8), Wide: true},
	} {
		want, err := Serial(source)
		require.NoError(t, err)
		t.Run(source.Name(), func(t *testing.T) {
			appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				made := make([]uint64, vertices(t, source))
				return func(r *pebble.Rank) error { return count(r, source, made) },
					func(t *testing.T) { require.Equal(t, want, sum(made)) }
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

// Odd graphs, with more ranks than vertices among them; a clique has as many triangles as sets of three.
func TestOddGraphs(t *testing.T) {
	graphtest.OddGraphs(t, func(t *testing.T, ranks int, source distgraph.Source) {
		got := requireTwin(t, appstest.On(t, pebble.Config{Ranks: ranks}), source)
		require.Equal(t, brute(t, source), got)
	})
}

// On small random graphs the count is that of trying everything.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		source := graphtest.DrawSource(rt, 14, 60)
		job := pebble.Config{
			Ranks: rapid.IntRange(1, 4).Draw(rt, "ranks"), Topology: route.Hypercube,
			Coalesce: rapid.SampledFrom([]int{1, 64}).Draw(rt, "coalesce"),
		}
		require.Equal(rt, brute(rt, source), requireTwin(rt, appstest.On(t, job), source))
	})
}

// The triangles of public graphs are as many as their publishers say.
func TestRealGraphs(t *testing.T) {
	for name, want := range graphtest.Triangles {
		t.Run(name, func(t *testing.T) {
			c := Config{Source: distgraph.Source{Path: appstest.Data(t, name)}}
			results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, c)
			require.NoError(t, err)
			for _, res := range results {
				require.Zero(t, res.Errors, res.Wrong)
				require.Equal(t, want, res.Triangles)
				require.Positive(t, res.Recounted)
			}
		})
	}
}

// Run reports the same on all ranks: of a clique all, of a graph with many wedges a sample checked.
func TestRun(t *testing.T) {
	clique := appstest.List{N: 12}
	for v := range clique.N {
		for w := range v {
			clique.Edges = append(clique.Edges, graph.Edge{From: v, To: w})
		}
	}
	results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, Config{Source: distgraph.Source{Generator: clique.Generator()}})
	require.NoError(t, err)
	for _, res := range results {
		require.Zero(t, res.Errors, res.Wrong)
		require.Equal(t, []uint64{220, 660, 12}, []uint64{res.Triangles, res.Wedges, res.Recounted})
		require.InDelta(t, 1, res.Transitivity, 1e-12)
		require.Contains(t, res.Rows(), [2]string{"counts", "valid"})
	}
	source := distgraph.Source{Generator: appstest.Kronecker(t, 11)}
	want, err := Serial(source)
	require.NoError(t, err)
	for _, seed := range []uint64{1, 2} {
		results, err = appstest.Results(t, pebble.Config{Ranks: 2}, Run, Config{Source: source, Seed: seed})
		require.NoError(t, err)
		for _, res := range results {
			require.Zero(t, res.Errors, res.Wrong)
			require.Equal(t, want, res.Triangles)
			require.Positive(t, res.Recounted)
			require.Less(t, res.Recounted, res.Vertices)
		}
	}
}

func TestMistakes(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1, Directed: true}.Generator()}
	for says, c := range map[string]Config{
		"no graph: give a file or a generator":            {},
		"triangles: arcs count 1 each: leave weights out": {Source: distgraph.Source{Generator: good.Generator, Weights: distgraph.Ones}},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
	require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, good)
		if err != nil {
			return err
		}
		_, err = NewKernel(g, 0, nil)
		return err
	}), "which is directed: build it with arcs that lead both ways")
}

// A count that is changed after it was found is told, in an ordered graph too.
func TestRule(t *testing.T) {
	l := appstest.List{N: 5, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}, {From: 3, To: 4}}}
	for _, ranks := range []int{1, 3} {
		for _, order := range []distgraph.Order{distgraph.AsGiven, distgraph.ByDegree} {
			graphtest.Breach(t, ranks, distgraph.Source{Generator: l.Generator(), Order: order}, func(g *distgraph.Graph) (Kernel, error) {
				return NewKernel(g, 0, nil)
			}, func(_ *distgraph.Graph, k Kernel) {
				for v, n := range k.(*counting[uint32]).middles {
					k.(*counting[uint32]).middles[v] = 2 * n
				}
			}, broken, fmt.Sprintf("vertex %d was the middle one of 2 triangles, and is of 1", 1))
		}
	}
}
