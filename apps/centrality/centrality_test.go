package centrality

import (
	"fmt"
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
	"github.com/activepebbles/pebbles/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run is Run on ranks of this process, with the result of each.
func run(tb testing.TB, c pebble.Config, config Config) ([]Result, error) {
	tb.Helper()
	return appstest.Results(tb, c, Run, config)
}

// score adds up centralities from the vertices with some ids, by all modes in turn, and puts the scores of each
// together in made, each rank its own part; breaches are an error.
func score(r *pebble.Rank, source distgraph.Source, modes []Mode, ids []uint64, made map[Mode][]float64) error {
	tasks := task.New(r)
	g, err := distgraph.Build(r, source)
	if err != nil {
		return err
	}
	sources, err := g.Indices(ids)
	if err != nil {
		return err
	}
	for _, mode := range modes {
		k, err := NewKernel(g, mode, tasks)
		if err != nil {
			return err
		}
		for _, source := range sources {
			if err := k.From(source); err != nil {
				return err
			}
			found, err := k.Validate()
			if err != nil {
				return err
			}
			if found.Count > 0 {
				return fmt.Errorf("%s: %d breaches, the first %+v", mode, found.Count, found.First[0])
			}
		}
		copy(made[mode][min(g.First, g.Vertices):], k.Scores())
	}
	return nil
}

// requireTwin requires that scores are those of the serial twin.
func requireTwin(tb require.TestingT, job func(f func(r *pebble.Rank) error) error, source distgraph.Source, modes []Mode, ids ...uint64) {
	want, err := Serial(source, ids)
	require.NoError(tb, err)
	made := map[Mode][]float64{}
	for _, mode := range modes {
		made[mode] = make([]float64, len(want))
	}
	require.NoError(tb, job(func(r *pebble.Rank) error { return score(r, source, modes, ids, made) }))
	for _, mode := range modes {
		requireNear(tb, want, made[mode])
	}
}

func requireNear(tb require.TestingT, want, got []float64) {
	require.Len(tb, got, len(want))
	for v := range want {
		if !near(want[v], got[v]) {
			require.Equal(tb, want[v], got[v], "vertex %d", v)
		}
	}
}

// All modes find everywhere what the twin does.
func TestEverywhere(t *testing.T) {
	for _, source := range []distgraph.Source{
		{Generator: appstest.Kronecker(t, 6)}, {Generator: appstest.ErdosRenyi(t, 6, 3), Wide: true},
	} {
		ids := []uint64{0, 33, 63}
		want, err := Serial(source, ids)
		require.NoError(t, err)
		for _, mode := range Modes {
			t.Run(fmt.Sprintf("%s, %s", source.Name(), mode), func(t *testing.T) {
				appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
					made := map[Mode][]float64{mode: make([]float64, len(want))}
					return func(r *pebble.Rank) error { return score(r, source, []Mode{mode}, ids, made) },
						func(t *testing.T) { requireNear(t, want, made[mode]) }
				})
			})
		}
	}
}

// The shape of the network makes no difference.
func TestMatrix(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 5)}
	turn := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		turn++
		modes := []Mode{ByLevel}
		if s.General() {
			modes = Modes // chains of tasks have no bound
		}
		source.Order = distgraph.Orders[turn%len(distgraph.Orders)]
		requireTwin(t, func(f func(r *pebble.Rank) error) error { return s.Run(t, f) }, source, modes, uint64(turn%32))
	})
}

// Odd graphs, with more ranks than vertices among them.
func TestOddGraphs(t *testing.T) {
	path, ladder := appstest.List{N: 130}, appstest.List{N: 130}
	for v := range path.N - 1 {
		path.Edges = append(path.Edges, graph.Edge{From: v, To: v + 1})
	}
	for v := uint64(2); v < ladder.N; v++ { // each pair of vertices leads to both of the next
		ladder.Edges = append(ladder.Edges, graph.Edge{From: v - 2 - v%2, To: v}, graph.Edge{From: v - 1 - v%2, To: v})
	}
	for name, l := range map[string]appstest.List{
		"one vertex": {N: 1},
		"one loop":   {N: 1, Edges: []graph.Edge{{From: 0, To: 0}}},
		"no edges":   {N: 5},
		"loops only": {N: 3, Edges: []graph.Edge{{From: 0, To: 0}, {From: 2, To: 2}}},
		"two parts":  {N: 7, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 4, To: 5}}},
		"duplicates": {N: 4, Edges: []graph.Edge{{From: 0, To: 1}, {From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2}, {From: 0, To: 3}, {From: 3, To: 2}, {From: 3, To: 2}}},
		"path":       path,
		"ladder":     ladder, // 2^64 paths
	} {
		for _, ranks := range []int{1, 2, 3, 9} {
			for _, directed := range []bool{false, true} {
				l.Directed = directed
				for _, source := range []distgraph.Source{
					{Generator: l.Generator()}, {Generator: l.Generator(), Wide: true}, {Generator: l.Generator(), Undirected: true, Order: distgraph.ByDegree},
				} {
					t.Run(fmt.Sprintf("%s, %d ranks, %v, %v, %s", name, ranks, directed, source.Wide, source.Order), func(t *testing.T) {
						requireTwin(t, appstest.On(t, pebble.Config{Ranks: ranks}),
							source, Modes, 0, l.N-1, l.N/2)
					})
				}
			}
		}
	}
}

// On small random graphs both modes find what the twin does.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Uint64Range(1, 12).Draw(rt, "vertices")
		vertex := rapid.Uint64Range(0, n-1)
		l := appstest.List{N: n, Directed: rapid.Bool().Draw(rt, "directed"), Edges: appstest.DrawEdges(rt, n, 40)}
		source := distgraph.Source{Generator: l.Generator(), Wide: rapid.Bool().Draw(rt, "wide")}
		c := pebble.Config{Ranks: rapid.IntRange(1, 4).Draw(rt, "ranks"), Topology: route.Hypercube, Coalesce: rapid.SampledFrom([]int{1, 64}).Draw(rt, "coalesce")}
		requireTwin(rt, appstest.On(t, c), source, Modes, vertex.Draw(rt, "one"), vertex.Draw(rt, "other"))
	})
}

// Run's result is that of Serial, and tells the vertices with the highest centralities.
func TestRun(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 9)}
	for _, mode := range Modes {
		results, err := run(t, pebble.Config{Ranks: 3}, Config{Source: source, Mode: mode, SourceCount: 3, Seed: 7})
		require.NoError(t, err)
		for _, res := range results {
			require.Zero(t, res.Errors, res.Wrong)
			require.Len(t, res.Sources, 3)
			want, err := Serial(source, res.Sources)
			require.NoError(t, err)
			sum := 0.0
			for _, score := range want {
				sum += score
			}
			require.InEpsilon(t, sum, res.ScoreSum, Tolerance)
			slices.Sort(want)
			slices.Reverse(want)
			for i, s := range res.Top {
				require.InEpsilon(t, want[i], s.Score, Tolerance)
			}
			require.Contains(t, res.Rows(), [2]string{"centralities", "valid"})
		}
	}
}

// More paths than there are numbers are an error in words, on all ranks.
func TestTooManyPaths(t *testing.T) {
	l := appstest.List{N: 2200}
	for v := uint64(2); v < l.N; v++ {
		l.Edges = append(l.Edges, graph.Edge{From: v - 2 - v%2, To: v}, graph.Edge{From: v - 1 - v%2, To: v})
	}
	source := distgraph.Source{Generator: l.Generator()}
	_, err := run(t, pebble.Config{Ranks: 2}, Config{Source: source, Sources: []uint64{0}})
	require.ErrorIs(t, err, ErrPaths)
	_, err = Serial(source, []uint64{0})
	require.ErrorIs(t, err, ErrPaths)
}

func TestMistakes(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1}.Generator()}
	for says, c := range map[string]Config{
		`mode "dfs" is not one of level, tasks`:                 {Source: good, Mode: "dfs"},
		"-1 sources: give a positive number":                    {Source: good, SourceCount: -1},
		"both sources and a number of sources to draw":          {Source: good, SourceCount: 1, Sources: []uint64{0}},
		"no graph: give a file or a generator":                  {},
		"centrality: arcs count 1 each: leave weights out":      {Source: distgraph.Source{Generator: good.Generator, Weights: distgraph.Ones}},
		"root 4: graph list of 0 edges has 1 vertices with ids": {Source: good, Sources: []uint64{4}},
	} {
		_, err := run(t, pebble.Config{Ranks: 2}, c)
		require.ErrorContains(t, err, says)
	}
	_, err := Serial(good, []uint64{1})
	require.ErrorIs(t, err, distgraph.ErrRoot)
}

// diamond has two shortest paths from 0 to 3, and one on to 4; 5 is apart.
var diamond = appstest.List{N: 6, Edges: []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}, {From: 3, To: 4}}}

// Each rule is broken in each way it can be.
func TestEachRule(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *found[uint32], v uint32) // what is found of a vertex
		at     uint64
		says   string
	}{
		"paths to the source": {func(f *found[uint32], v uint32) { f.paths[v] = 2 }, 0,
			"rule 1: the source 0 is at level 0 with 2 paths, not at level 0 with one"},
		"twice":         {func(f *found[uint32], v uint32) { f.queue[0] = v }, 3, "rule 2: vertex 3 is in levels 0 and 2"},
		"too many":      {func(f *found[uint32], v uint32) { f.paths[v] = 3 }, 3, "rule 3: 3 paths lead to vertex 3, and 2 along the arcs from the level before"},
		"none":          {func(f *found[uint32], v uint32) { f.paths[v] = 0 }, 4, "rule 3: 0 paths lead to vertex 4, and 2 along the arcs from the level before"},
		"paths alone":   {func(f *found[uint32], v uint32) { f.paths[v] = 1 }, 5, "rule 3: 1 paths lead to vertex 5, which is not reached"},
		"other sum":     {func(f *found[uint32], v uint32) { f.through[v] = 2 }, 3, "rule 4: vertex 3 has 2 from the level that follows, and its arcs bring 0.5"},
		"a sum from":    {func(f *found[uint32], v uint32) { f.through[v] = 1 }, 4, "rule 4: vertex 4 has 1 from the level that follows, and its arcs bring 0"},
		"not reached":   {func(f *found[uint32], v uint32) { f.queue, f.levels[4] = f.queue[:4], 4 }, 4, "rule 2: arc 3 -> 4 leads from level 2 to a vertex that is not reached"},
		"reached later": {func(f *found[uint32], v uint32) { f.levels = []int{0, 1, 3, 4, 4, 5} }, 4, "rule 2: arc 3 -> 4 leads from level 2 to level 4"},
	} {
		t.Run(name, func(t *testing.T) {
			ranks := []int{1, 3}
			if name == "twice" || name == "not reached" || name == "reached later" {
				ranks = []int{1} // their queues hold vertices of all ranks
			}
			for _, n := range ranks {
				var total uint64
				var texts []string
				require.NoError(t, appstest.Job(t, pebble.Config{Ranks: n}, func(r *pebble.Rank) error {
					g, err := distgraph.Build(r, distgraph.Source{Generator: diamond.Generator()})
					if err != nil {
						return err
					}
					k, err := NewKernel(g, ByLevel, nil)
					if err != nil {
						return err
					}
					if err := k.From(0); err != nil {
						return err
					}
					s := k.(*byLevel[uint32])
					if g.Owns(c.at) {
						c.change(s.found, uint32(c.at)-s.first)
					}
					found, err := s.Validate()
					if err != nil {
						return err
					}
					said, err := g.Describe(found, broken)
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
				require.Contains(t, fmt.Sprint(texts), c.says)
			}
		})
	}
}

// Sums may differ by rounding, and nothing may stand for something.
func TestNear(t *testing.T) {
	require.True(t, near(1, 1+1e-12))
	require.False(t, near(1, 1+1e-6))
	require.False(t, near(0, 1e-300))
	require.True(t, near(0, 0))
}
