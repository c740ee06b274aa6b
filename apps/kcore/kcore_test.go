package kcore

import (
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

// cores finds core numbers, and puts those of each rank into its own part of made. A breach is an error.
func cores(r *pebble.Rank, source distgraph.Source, made []uint64) error {
	source.Undirected = true
	prepare := func(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, nil) }
	return graphtest.Checked(r, source, prepare, Kernel.Cores, made)
}

// requireTwin requires that a job finds what the serial twin does.
func requireTwin(tb require.TestingT, job func(f func(r *pebble.Rank) error) error, source distgraph.Source) {
	want, err := Serial(source)
	require.NoError(tb, err)
	made := make([]uint64, len(want))
	require.NoError(tb, job(func(r *pebble.Rank) error { return cores(r, source, made) }))
	require.Equal(tb, append([]uint64{}, want...), made)
}

// Core numbers are everywhere those of the twin.
func TestEverywhere(t *testing.T) {
	for _, source := range []distgraph.Source{
		{Generator: appstest.Kronecker(t, 7)}, {Generator: appstest.ErdosRenyi(t, 6, 3), Wide: true},
	} {
		want, err := Serial(source)
		require.NoError(t, err)
		t.Run(source.Name(), func(t *testing.T) {
			appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				made := make([]uint64, len(want))
				return func(r *pebble.Rank) error { return cores(r, source, made) },
					func(t *testing.T) { require.Equal(t, want, made) }
			})
		})
	}
}

// The shape of the network makes no difference. Chains of pebbles have no bound.
func TestMatrix(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 5)}
	turn := 0
	appstest.General(t, func(t *testing.T, s appstest.Shape) {
		turn++
		source.Order = distgraph.Orders[turn%len(distgraph.Orders)]
		requireTwin(t, func(f func(r *pebble.Rank) error) error { return s.Run(t, f) }, source)
	})
}

// Odd graphs, with more ranks than vertices among them.
func TestOddGraphs(t *testing.T) {
	graphtest.OddGraphs(t, func(t *testing.T, ranks int, source distgraph.Source) {
		requireTwin(t, appstest.On(t, pebble.Config{Ranks: ranks}), source)
	})
}

// On small random graphs core numbers are those of the twin.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		source := graphtest.DrawSource(rt, 14, 60)
		job := pebble.Config{
			Ranks: rapid.IntRange(1, 4).Draw(rt, "ranks"), Topology: route.Hypercube,
			Coalesce: rapid.SampledFrom([]int{1, 64}).Draw(rt, "coalesce"),
		}
		requireTwin(rt, appstest.On(t, job), source)
	})
}

// Core numbers by their definition: the largest k for which taking away vertices with fewer neighbours leaves a vertex.
func TestDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		source := graphtest.DrawSource(rt, 10, 40)
		source.Undirected = true
		c, _, err := source.Load()
		require.NoError(rt, err)
		c = c.Simple()
		want := make([]uint64, c.Vertices())
		for k := range c.Vertices() {
			for _, v := range core(c, k) {
				want[v] = k
			}
		}
		got, err := Serial(source)
		require.NoError(rt, err)
		require.Equal(rt, want, got)
	})
}

// core is the k-core of a graph.
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

// The core numbers of public graphs are those of the twin.
func TestRealGraphs(t *testing.T) {
	for _, name := range []string{"wiki-Vote.txt.gz", "astro-ph.metis.graph.gz"} {
		t.Run(name, func(t *testing.T) {
			source := distgraph.Source{Path: appstest.Data(t, name)}
			want, err := Serial(source)
			require.NoError(t, err)
			var sums Sums
			for _, core := range want {
				sums = sums.add(Sums{core, 1, core})
			}
			results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, Config{Source: source})
			require.NoError(t, err)
			for _, res := range results {
				require.Zero(t, res.Errors, res.Wrong)
				require.Equal(t, sums, Sums{res.Largest, res.InLargest, res.NumberSum})
			}
		})
	}
}

// Run reports the same on all ranks: of a clique of 5 with a tail of 2.
func TestRun(t *testing.T) {
	l := appstest.List{N: 8, Edges: []graph.Edge{{From: 4, To: 5}, {From: 5, To: 6}}}
	for v := range uint64(5) {
		for w := range v {
			l.Edges = append(l.Edges, graph.Edge{From: v, To: w})
		}
	}
	results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, Config{Source: distgraph.Source{Generator: l.Generator()}})
	require.NoError(t, err)
	for _, res := range results {
		require.Zero(t, res.Errors, res.Wrong)
		require.Equal(t, []uint64{4, 5, 22, 3}, []uint64{res.Largest, res.InLargest, res.NumberSum, uint64(res.Rounds)})
		require.Contains(t, res.Rows(), [2]string{"core numbers", "valid"})
	}
}

func TestMistakes(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1, Directed: true}.Generator()}
	for says, c := range map[string]Config{
		"no graph: give a file or a generator":        {},
		"kcore: arcs count 1 each: leave weights out": {Source: distgraph.Source{Generator: good.Generator, Weights: distgraph.Ones}},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
	require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, good)
		if err != nil {
			return err
		}
		_, err = NewKernel(g, nil)
		return err
	}), "which is directed: build it with arcs that lead both ways")
}

// A number that is changed after it was found is told.
func TestRule(t *testing.T) {
	l := appstest.List{N: 4, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}, {From: 2, To: 3}}}
	for _, ranks := range []int{1, 3} {
		for says, number := range map[string]uint32{
			"vertex 2 has the core number 1, and 2 by": 1, "vertex 2 has the core number 3, and 2 by": 3,
		} {
			graphtest.Breach(t, ranks, distgraph.Source{Generator: l.Generator()}, func(g *distgraph.Graph) (Kernel, error) {
				return NewKernel(g, nil)
			}, func(g *distgraph.Graph, k Kernel) {
				if g.Owns(2) {
					k.(*peeling[uint32]).left[2-g.First] = number
				}
			}, broken, says)
		}
	}
}
