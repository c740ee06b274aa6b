package components

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/graphtest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// label finds components by a method, and puts the labels of each rank into its own part of made. A breach is an error.
func label(r *pebble.Rank, source distgraph.Source, method Method, made []uint64) error {
	source.Undirected = true
	prepare := func(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, method) }
	return graphtest.Checked(r, source, prepare, Kernel.Labels, made)
}

// smallest replaces labels by the first vertex that has each: in an ordered graph a label is no place in the source.
func smallest(labels []uint64) []uint64 {
	first, same := map[uint64]uint64{}, make([]uint64, len(labels))
	for v, label := range labels {
		if _, known := first[label]; !known {
			first[label] = uint64(v)
		}
		same[v] = first[label]
	}
	return same
}

// requireTwin requires that all methods find what the serial twin does.
func requireTwin(tb require.TestingT, job func(f func(r *pebble.Rank) error) error, source distgraph.Source, methods ...Method) {
	want, err := Serial(source)
	require.NoError(tb, err)
	for _, method := range methods {
		made := make([]uint64, len(want))
		require.NoError(tb, job(func(r *pebble.Rank) error { return label(r, source, method, made) }))
		require.Equal(tb, want, smallest(made), method)
	}
}

// Both methods find everywhere what the twin does.
func TestEverywhere(t *testing.T) {
	for _, source := range []distgraph.Source{
		{Generator: appstest.ErdosRenyi(t, 6, 1)}, {Generator: appstest.Kronecker(t, 7), Wide: true},
	} {
		want, err := Serial(source)
		require.NoError(t, err)
		for _, method := range Methods {
			t.Run(source.Name()+", "+string(method), func(t *testing.T) {
				appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
					made := make([]uint64, len(want))
					return func(r *pebble.Rank) error { return label(r, source, method, made) },
						func(t *testing.T) { require.Equal(t, want, smallest(made)) }
				})
			})
		}
	}
}

// The shape of the network makes no difference. Chains of pebbles have no bound.
func TestMatrix(t *testing.T) {
	source := distgraph.Source{Generator: appstest.ErdosRenyi(t, 6, 1)}
	turn := 0
	appstest.General(t, func(t *testing.T, s appstest.Shape) {
		turn++
		source.Order = []distgraph.Order{distgraph.OrderAuto, distgraph.AsGiven}[turn%2]
		requireTwin(t, func(f func(r *pebble.Rank) error) error { return s.Run(t, f) }, source, Methods[turn/2%2])
	})
}

// Odd graphs, with more ranks than vertices among them.
func TestOddGraphs(t *testing.T) {
	graphtest.OddGraphs(t, func(t *testing.T, ranks int, source distgraph.Source) {
		requireTwin(t, appstest.On(t, pebble.Config{Ranks: ranks}), source, Methods...)
	})
}

// On small random graphs both methods find what the twin does.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		source := graphtest.DrawSource(rt, 40, 60)
		job := pebble.Config{
			Ranks: rapid.IntRange(1, 6).Draw(rt, "ranks"), Topology: route.Hypercube,
			Coalesce: rapid.SampledFrom([]int{1, 64}).Draw(rt, "coalesce"),
		}
		requireTwin(rt, appstest.On(t, job), source, Methods...)
	})
}

// The giants of ranks hang together by few arcs, which all of their vertices' first arcs lead away from; and long paths
// go to and fro between ranks.
func TestGiants(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	halves, path := appstest.List{N: 200}, appstest.List{N: 500}
	for v := range halves.N { // each half is a clique of its own
		for w := range v {
			if v/100 == w/100 {
				halves.Edges = append(halves.Edges, graph.Edge{From: v, To: w})
			}
		}
	}
	for _, v := range random.Perm(4) { // and a vertex more than that is met by others
		halves.Edges = append(halves.Edges, graph.Edge{From: uint64(v) + 50, To: 199})
	}
	order := random.Perm(int(path.N))
	for i := range order[1:] {
		path.Edges = append(path.Edges, graph.Edge{From: uint64(order[i]), To: uint64(order[i+1])})
	}
	for _, l := range []appstest.List{halves, path} {
		for _, ranks := range []int{2, 3, 8} {
			requireTwin(t, appstest.On(t, pebble.Config{Ranks: ranks}), distgraph.Source{Generator: l.Generator()}, Methods...)
		}
	}
}

// The components of public graphs are as many as their publishers say.
func TestRealGraphs(t *testing.T) {
	for name, want := range map[string]Sizes{
		"soc-Epinions1.txt.gz": {Components: 2, Largest: 75877}, "wiki-Vote.txt.gz": {Components: 24, Largest: 7066},
		"astro-ph.metis.graph.gz": {Components: 1029, Largest: 14845}, "memplus.mtx.gz": {Components: 1, Largest: 17758},
	} {
		t.Run(name, func(t *testing.T) {
			source := distgraph.Source{Path: appstest.Data(t, name)}
			for _, method := range Methods {
				results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, Config{Source: source, Method: method})
				require.NoError(t, err)
				for _, res := range results {
					require.Zero(t, res.Errors, res.Wrong)
					require.Equal(t, want.Components, res.Components)
					require.Equal(t, want.Largest, res.Largest)
				}
			}
		})
	}
}

// Run reports the same on all ranks, and what the twin has found.
func TestRun(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 9)}
	labels, err := Serial(source)
	require.NoError(t, err)
	counts, want := map[uint64]uint64{}, Sizes{}
	for _, label := range labels {
		counts[label]++
	}
	for _, n := range counts {
		want.add(n)
	}
	for _, method := range Methods {
		results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, Config{Source: source, Method: method, Seed: 7})
		require.NoError(t, err)
		for _, res := range results {
			require.Zero(t, res.Errors, res.Wrong)
			require.Equal(t, want, Sizes{res.Components, res.Largest, res.Alone})
			require.Contains(t, res.Rows(), [2]string{"labels", "valid"})
		}
	}
}

func TestMistakes(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1, Directed: true}.Generator()}
	for says, c := range map[string]Config{
		`method "guess" is not one of hook, propagate`:     {Source: good, Method: "guess"},
		"no graph: give a file or a generator":             {},
		"components: arcs count 1 each: leave weights out": {Source: distgraph.Source{Generator: good.Generator, Weights: distgraph.Ones}},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
	require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, good)
		if err != nil {
			return err
		}
		_, err = NewKernel(g, Hook)
		return err
	}), "which is directed: build it with arcs that lead both ways")
}

// Each rule is broken, by labels that are changed after they were found: of two parts, 0 to 2 and 3 to 5.
func TestEachRule(t *testing.T) {
	l := appstest.List{N: 6, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 4}, {From: 4, To: 5}}}
	for says, labels := range map[string][]uint32{
		"rule 1: vertex 0 has the label 1":                                            {1, 1, 1, 3, 3, 3},
		"rule 2: vertex 1 has the label 0, and one that it has an arc with the label": {0, 0, 2, 3, 3, 3},
		"rule 3: vertex 5 has the label 0, and no path leads there":                   {0, 0, 0, 0, 0, 0},
	} {
		for _, ranks := range []int{1, 3} {
			graphtest.Breach(t, ranks, distgraph.Source{Generator: l.Generator()}, func(g *distgraph.Graph) (Kernel, error) {
				return NewKernel(g, Propagate)
			}, func(g *distgraph.Graph, k Kernel) {
				copy(k.(*spreading[uint32]).labels(), labels[g.First:])
			}, broken, says)
		}
	}
}
