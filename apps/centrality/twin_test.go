package centrality

import (
	"fmt"
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
	"github.com/activepebbles/pebbles/task"
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
				return fmt.Errorf("%s: %d breaches, the first: %s", mode, found.Count, describe(found.First[0]))
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
						requireTwin(t, func(f func(r *pebble.Rank) error) error { return appstest.Job(t, pebble.Config{Ranks: ranks}, f) },
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
		l := appstest.List{N: n, Directed: rapid.Bool().Draw(rt, "directed")}
		for range rapid.IntRange(0, 40).Draw(rt, "edges") {
			l.Edges = append(l.Edges, graph.Edge{From: vertex.Draw(rt, "from"), To: vertex.Draw(rt, "to")})
		}
		source := distgraph.Source{Generator: l.Generator(), Wide: rapid.Bool().Draw(rt, "wide")}
		c := pebble.Config{Ranks: rapid.IntRange(1, 4).Draw(rt, "ranks"), Topology: route.Hypercube, Coalesce: rapid.SampledFrom([]int{1, 64}).Draw(rt, "coalesce")}
		requireTwin(rt, func(f func(r *pebble.Rank) error) error { return appstest.Job(t, c, f) }, source, Modes, vertex.Draw(rt, "one"), vertex.Draw(rt, "other"))
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
	require.ErrorContains(t, Config{Source: good}.Check(0), "0 ranks")
	_, err := Serial(good, []uint64{1})
	require.ErrorIs(t, err, distgraph.ErrRoot)
}
