package pagerank

import (
	"math"
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

// exactly is a configuration whose scores are those that no iteration changes any more.
func exactly(source distgraph.Source) Config {
	return Config{Source: source, Tolerance: 1e-12, Iterations: 1000}
}

// rank ranks the vertices of a graph, and puts the scores of each rank into its own part of made. A breach is an error.
func rank(r *pebble.Rank, c Config, made []float64) error {
	prepare := func(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, c) }
	return graphtest.Checked(r, c.Source, prepare, Kernel.Scores, made)
}

// requireNear requires that scores are no further from those that no iteration changes than the tolerance lets them
// be: an iteration brings scores nearer to these by the damping, in the sum of all, so that the rest of the way is a
// geometric series.
func requireNear(tb require.TestingT, c Config, want, got []float64) {
	require.Len(tb, got, len(want))
	far := 0.0
	for v := range want {
		far += math.Abs(want[v] - got[v])
	}
	c = c.complete()
	require.LessOrEqual(tb, far, c.Tolerance*c.Damping/(1-c.Damping)+10*c.rounding())
}

// requireTwin requires that the scores of a job are those of the serial twin.
func requireTwin(tb require.TestingT, job func(f func(r *pebble.Rank) error) error, c Config) {
	twin := exactly(c.Source)
	twin.Damping = c.Damping
	want, err := Serial(twin)
	require.NoError(tb, err)
	made := make([]float64, len(want))
	require.NoError(tb, job(func(r *pebble.Rank) error { return rank(r, c, made) }))
	requireNear(tb, c, want, made)
}

// The scores are everywhere those of the twin, with both widths of indices and of numbers.
func TestEverywhere(t *testing.T) {
	for _, c := range []Config{
		exactly(distgraph.Source{Generator: appstest.Kronecker(t, 6)}),
		{Source: distgraph.Source{Generator: appstest.ErdosRenyi(t, 6, 3), Wide: true}, Iterations: 100},
	} {
		want, err := Serial(exactly(c.Source))
		require.NoError(t, err)
		t.Run(c.Source.Name(), func(t *testing.T) {
			appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				made := make([]float64, len(want))
				return func(r *pebble.Rank) error { return rank(r, c, made) },
					func(t *testing.T) { requireNear(t, c, want, made) }
			})
		})
	}
}

// The shape of the network makes no difference.
func TestMatrix(t *testing.T) {
	c := Config{Source: distgraph.Source{Generator: appstest.Kronecker(t, 5)}, Iterations: 100}
	turn := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		turn++
		c.Source.Order = distgraph.Orders[turn%len(distgraph.Orders)]
		requireTwin(t, func(f func(r *pebble.Rank) error) error { return s.Run(t, f) }, c)
	})
}

// Odd graphs, with more ranks than vertices among them.
func TestOddGraphs(t *testing.T) {
	graphtest.OddGraphs(t, func(t *testing.T, ranks int, source distgraph.Source) {
		requireTwin(t, appstest.On(t, pebble.Config{Ranks: ranks}), exactly(source))
	})
}

// On small random graphs the scores are those of the twin, whatever the damping.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := Config{
			Source: graphtest.DrawSource(rt, 12, 40), Damping: rapid.Float64Range(0.01, 0.9).Draw(rt, "damping"),
			Tolerance: rapid.SampledFrom([]float64{1e-3, 1e-10}).Draw(rt, "tolerance"), Iterations: 1000,
		}
		job := pebble.Config{Ranks: rapid.IntRange(1, 4).Draw(rt, "ranks"), Topology: route.Hypercube}
		requireTwin(rt, appstest.On(t, job), c)
	})
}

// What is known of small graphs by hand: in a ring all are alike, and what has no arcs loses what it has.
func TestKnown(t *testing.T) {
	for name, c := range map[string]struct {
		l    appstest.List
		want []float64
	}{
		"ring": {appstest.List{N: 3, Directed: true, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}}},
			[]float64{1. / 3, 1. / 3, 1. / 3}},
		"dangling": {appstest.List{N: 2, Directed: true, Edges: []graph.Edge{{From: 0, To: 1}, {From: 0, To: 1}, {From: 1, To: 1}}},
			[]float64{0.075, 0.075 * 1.85}},
		"star": {appstest.List{N: 3, Edges: []graph.Edge{{From: 0, To: 1}, {From: 2, To: 0}}},
			[]float64{0.05 * 2.7 / (1 - 0.85*0.85), 0.05 * (1 + 0.425*2.7/(1-0.85*0.85)), 0.05 * (1 + 0.425*2.7/(1-0.85*0.85))}},
	} {
		t.Run(name, func(t *testing.T) {
			source := exactly(distgraph.Source{Generator: c.l.Generator()})
			twin, err := Serial(source)
			require.NoError(t, err)
			require.InDeltaSlice(t, c.want, twin, 1e-9)
			made := make([]float64, len(c.want))
			require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error { return rank(r, source, made) }))
			require.InDeltaSlice(t, c.want, made, 1e-9)
		})
	}
}

// Run reports the same on all ranks, whether the scores converge or not.
func TestRun(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 9)}
	for _, iterations := range []int{2, 50} {
		var phases []string
		c := Config{Source: source, Iterations: iterations, Seed: 7, Phase: func(what string) { phases = append(phases, what) }}
		results, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, c)
		require.NoError(t, err)
		want, err := Serial(exactly(source))
		require.NoError(t, err)
		sum := 0.0
		for _, score := range want {
			sum += score
		}
		for _, res := range results {
			require.Zero(t, res.Errors, res.Wrong)
			require.Equal(t, iterations == 50, res.Converged)
			require.Equal(t, res.Converged, res.Iterations < iterations)
			require.Positive(t, res.Residual)
			require.LessOrEqual(t, res.Residual, res.Change)
			require.Len(t, res.Top, 5)
			require.Equal(t, results[0].Top, res.Top)
			require.Contains(t, res.Rows(), [2]string{"scores", "valid"})
			if res.Converged {
				require.InDelta(t, sum, res.ScoreSum, 1e-3)
				require.InDelta(t, want[res.Top[0].ID], res.Top[0].Score, 1e-4)
			}
		}
		require.Equal(t, "iterations", phases[len(phases)-1])
	}
}

func TestMistakes(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1}.Generator()}
	for says, c := range map[string]Config{
		"damping is 1: give a number above 0 and below 1":   {Source: good, Damping: 1},
		"damping is NaN: give a number above 0 and below 1": {Source: good, Damping: math.NaN()},
		"tolerance is -1: give a number above 0":            {Source: good, Tolerance: -1},
		"-1 iterations: give a positive number":             {Source: good, Iterations: -1},
		"no graph: give a file or a generator":              {},
		"pagerank: arcs count 1 each: leave weights out":    {Source: distgraph.Source{Generator: good.Generator, Weights: distgraph.Ones}},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
}

// Each rule is broken, by a score that is changed after it was found.
func TestEachRule(t *testing.T) {
	type kernel = *ranking[uint32, float64]
	l := appstest.List{N: 6, Edges: []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}, {From: 3, To: 4}}}
	for says, change := range map[string]func(score *float64){
		"rule 1: vertex 3 has the score NaN":                    func(score *float64) { *score = math.NaN() },
		"rule 1: vertex 3 has the score 0.01, not one from 0.0": func(score *float64) { *score = 0.01 },
		"rule 1: vertex 3 has the score 1.5":                    func(score *float64) { *score = 1.5 },
		"rule 2: one more iteration would change the scores by": func(score *float64) { *score += 1e-6 },
	} {
		for _, ranks := range []int{1, 3} {
			graphtest.Breach(t, ranks, distgraph.Source{Generator: l.Generator()}, func(g *distgraph.Graph) (Kernel, error) {
				return NewKernel(g, exactly(distgraph.Source{}))
			}, func(g *distgraph.Graph, k Kernel) {
				if g.Owns(3) {
					change(&k.(kernel).scores[3-g.First])
				}
			}, broken, says)
		}
	}
}
