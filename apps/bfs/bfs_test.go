package bfs

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// The report has the promised fields, in JSON and as text.
func TestReport(t *testing.T) {
	var progress []uint64
	config := Config{Source: distgraph.Source{Generator: appstest.Kronecker(t, 6)}, RootCount: 4,
		Common: apps.Common{Seed: 9, Progress: func(done, total uint64) {
			require.Equal(t, uint64(4), total)
			progress = append(progress, done)
		}}}
	results := appstest.Must(run(t, pebble.Config{Ranks: 3}, config))
	require.Equal(t, []uint64{1, 2, 3, 4}, progress)
	packed, err := json.Marshal(results[0])
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(packed, &fields))
	for _, name := range []string{"roots", "reached", "depths", "distance_sums", "teps"} {
		require.Len(t, fields[name], 4, name)
	}
	require.Equal(t, "bfs", fields["app"])
	require.Equal(t, "level", fields["mode"])
	require.Equal(t, "Kronecker scale 6, edge factor 16, seed 1", fields["graph"])
	require.Equal(t, true, fields["undirected"])
	require.Equal(t, true, fields["validated"])
	require.Equal(t, 64.0, fields["vertices"])
	require.Equal(t, 1024.0, fields["edges"])
	require.Equal(t, 0.0, fields["errors"])
	require.Equal(t, 9.0, fields["seed"])
	require.Positive(t, fields["harmonic_mean_teps"])
	require.Positive(t, fields["seconds"])
	require.InEpsilon(t, 4*1024/results[0].Seconds, fields["harmonic_mean_all_edges_per_second"], 1e-9)
	counters := results[0].Counters
	require.Equal(t, counters.PebblesSent, counters.PebblesHandled)
	depths := uint64(4)
	for _, d := range results[0].Depths {
		depths += uint64(d)
	}
	require.Equal(t, depths, counters.Epochs, "one epoch a level, validation left out")

	table := ""
	for _, row := range results[0].Rows() {
		table += row[0] + ": " + row[1] + "\n"
	}
	require.Contains(t, table, "edges: 1024, undirected\n")
	require.Contains(t, table, "all edges a second: ")
	require.Contains(t, table, "order of vertices: as given\n")
	require.Contains(t, table, "trees: valid\n")

	config.SkipValidation, config.Progress = true, nil
	results = appstest.Must(run(t, pebble.Config{Ranks: 3}, config))
	require.False(t, results[2].Validated)
	require.Contains(t, results[2].Rows(), [2]string{"trees", "not checked"})
	wrong := Result{Report: distgraph.Report{Validated: true}}
	wrong.Errors, wrong.Breaches = 2, []string{"rule 1: it hurts"}
	require.Contains(t, wrong.Rows(), [2]string{"trees", "WRONG: 2 breaches of the Graph500 rules"})
	require.Contains(t, wrong.Rows(), [2]string{"", "rule 1: it hurts"})
}

// spoiled is a kernel with one wrong vertex.
type spoiled struct{ byLevel[uint32] }

func (s spoiled) From(root uint64) error {
	err := s.byLevel.From(root)
	if s.g.Owns(5) {
		s.level[5-s.first]++
	}
	return err
}

// A wrong tree is counted and described in the report.
func TestWrongTree(t *testing.T) {
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		g := appstest.Must(distgraph.Build(r, distgraph.Source{Generator: appstest.List{N: 7, Edges: ring}.Generator()}))
		search := appstest.Must(NewSearch(g, ByLevel, Tuning{}))
		s := spoiled{search.(byLevel[uint32])}
		res := Result{Report: distgraph.Report{Validated: true}}
		errors := appstest.Must(res.Each(g, distgraph.Source{}, []uint64{0}, s, Rules,
			func(float64) error { return nil }))
		require.NoError(t, res.Found(r, errors, "breaches"))
		require.NoError(t, res.Finish(r, s.Tally()))
		require.Equal(t, []string{"3 breaches"}, res.Wrong)
		require.Equal(t, uint64(3), res.Errors)
		if r.ID() == 0 {
			require.ElementsMatch(t, []string{
				"rule 2: vertex 5 at level 2 has parent 0 at level 0, not one less",
				"rule 2: vertex 4 at level 2 has parent 5 at level 2, not one less",
				"rule 3: edge 0 -> 5 leads from level 0 to level 2, more than one below",
			}, res.Breaches)
		}
		return nil
	}))
}

// pebblesOf returns the numbers of pebbles that searches of a Kronecker graph send, and that reductions merge.
func pebblesOf(tb testing.TB, cache int, config Config) (sent, merged uint64) {
	tb.Helper()
	config.Source, config.RootCount, config.SkipValidation = distgraph.Source{Generator: appstest.Kronecker(tb, 10)}, 4,
		true
	results := appstest.Must(run(tb, pebble.Config{Ranks: 4, Cache: cache}, config))
	return results[0].Counters.PebblesSent, results[0].Counters.Merged
}

// Both kernels reduce, but the filter of the level mode leaves little to reduce.
func TestReductions(t *testing.T) {
	filtered, _ := pebblesOf(t, 0, Config{})
	unfiltered, none := pebblesOf(t, 0, Config{Unfiltered: true})
	require.Zero(t, none)
	require.Less(t, 4*filtered, unfiltered)
	_, merged := pebblesOf(t, 4096, Config{Unfiltered: true})
	require.Greater(t, 2*merged, unfiltered)
	sent, merged := pebblesOf(t, 4096, Config{Mode: Async, Unfiltered: true})
	require.Greater(t, 2*merged, sent)
	few, _ := pebblesOf(t, 0, Config{Mode: Async})
	require.Less(t, 4*few, sent)
	fewer, _ := pebblesOf(t, 0, Config{Mode: Direction})
	require.Less(t, 2*fewer, filtered, "bitmaps are a few pebbles")
}

// Several graphs and searches may live in one job.
func TestManyInOneJob(t *testing.T) {
	source := distgraph.Source{Generator: appstest.List{N: 7, Edges: ring}.Generator()}
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		tasks := task.New(r)
		for range 2 {
			g := appstest.Must(distgraph.Build(r, source))
			for i := range 2 * len(Modes) {
				s := appstest.Must(NewSearch(g, Modes[i/2], Tuning{Unfiltered: i%2 == 0, Tasks: tasks}))
				require.NoError(t, s.From(3))
				got := appstest.Must(s.Summary())
				require.Equal(t, Summary{graph.Summary{Reached: 6, Depth: 3, Sum: 9}, 6}, got)
			}
		}
		return nil
	}))
}

func TestFileErrorEndsRun(t *testing.T) {
	_, err := run(t, pebble.Config{Ranks: 3}, Config{Source: distgraph.Source{Path: filepath.Join(t.TempDir(),
		"none.el")}})
	require.ErrorContains(t, err, "none.el: no such file")
}

// Rank 0 uses the sparse ids of a file in roots, errors and results.
func TestIDs(t *testing.T) {
	path := appstest.Write(t, "sparse.el", "# a comment\n1000 7\n7 500\n500 99\n12345678901 7\n")
	for _, ranks := range []int{1, 3} {
		c, on := Config{Source: distgraph.Source{Path: path}}, pebble.Config{Ranks: ranks}
		c.Roots = distgraph.IDs(1000, 12345678901, 99)
		results := appstest.Must(run(t, on, c))
		for _, res := range results {
			require.Equal(t, []uint64{4, 4, 1}, res.Reached)
			require.Equal(t, []int64{3, 3, 0}, res.Depths)
			require.Equal(t, []uint64{6, 6, 0}, res.DistanceSums)
			require.Equal(t, uint64(5), res.Vertices)
			require.Equal(t, path, res.Graph)
		}
		c.Roots, c.RootCount = distgraph.Labels{}, 100
		results = appstest.Must(run(t, on, c))
		require.ElementsMatch(t, []uint64{1000, 7, 500, 12345678901}, results[0].Roots.IDs, "99 has no arc to another")

		c.Roots, c.RootCount = distgraph.IDs(7, 8), 0
		_, err := run(t, on, c)
		require.ErrorIs(t, err, distgraph.ErrRoot)
		require.ErrorContains(t, err,
			"root 8: graph "+path+" has 5 vertices with ids from 7 to 12345678901, and none is this one")
	}
}

func TestBadRoots(t *testing.T) {
	for name, c := range map[string]struct {
		l     appstest.List
		roots []uint64
		says  string
	}{
		"outside": {appstest.List{N: 4, Edges: ring[:2]}, []uint64{1, 4},
			"root 4: graph list of 2 edges has 4 vertices with ids from 0 to 3"},
		"no vertices": {appstest.List{}, []uint64{0}, "root 0: graph list of 0 edges has no vertices"},
		"none to draw": {appstest.List{N: 2, Edges: []graph.Edge{{From: 1, To: 1}}}, nil,
			"draw roots: graph list of 1 edges has no arc from a vertex to another: name a root"},
	} {
		for _, ranks := range []int{1, 4} {
			t.Run(name, func(t *testing.T) {
				errs := make([]error, ranks)
				require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
					source := distgraph.Source{Generator: c.l.Generator()}
					_, errs[r.ID()] = Run(r, Config{Source: source, Roots: distgraph.IDs(c.roots...)})
					return nil
				}))
				for _, err := range errs {
					require.ErrorIs(t, err, distgraph.ErrRoot)
					require.ErrorContains(t, err, c.says)
				}
			})
		}
	}
	require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		g := appstest.Must(distgraph.Build(r, distgraph.Source{Generator: appstest.List{N: 1}.Generator()}))
		s := appstest.Must(NewSearch(g, Async, Tuning{}))
		return s.From(1)
	}), "bfs: a search from vertex 1 of a graph of 1 vertices")
	_, err := Serial(distgraph.Source{Generator: appstest.List{N: 1}.Generator()}, []uint64{1})
	require.ErrorIs(t, err, distgraph.ErrRoot)
}

func TestBadConfig(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1}.Generator()}
	for says, c := range map[string]Config{
		`mode "dfs" is not one of level, async, direction, tasks`: {Source: good, Mode: "dfs"},
		`order "random" is not one of auto, degree, given`:        {Source: distgraph.Source{Generator: appstest.List{N: 1}.Generator(), Order: "random"}},
		"alpha is -1: give a number above 0":                      {Source: good, Mode: Direction, Alpha: -1},
		"beta is NaN: give a number above 0":                      {Source: good, Mode: Direction, Beta: math.NaN()},
		"alpha is +Inf: give a number above 0":                    {Source: good, Mode: Direction, Alpha: math.Inf(1)},
		"alpha is for mode direction: leave it out":               {Source: good, Alpha: 3},
		"-1 roots": {Source: good, RootCount: -1},
		"both roots and a number of roots to draw": {Source: good, RootCount: 1, Roots: distgraph.IDs(0)},
		"no graph: give a file or a generator":     {},
		"both a file and a generator are given": {Source: distgraph.Source{Path: "x",
			Generator: appstest.List{N: 1}.Generator()}},
	} {
		require.ErrorContains(t, c.Check(2), says)
		_, err := run(t, pebble.Config{Ranks: 2}, c)
		require.ErrorContains(t, err, says)
	}
	require.NoError(t, Config{Source: good}.Check(1))
}

// Lines return each vertex that joined, lowest level first, and keep nothing for the next search.
func TestLines(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	l := lines[uint32]{inOrder: distgraph.NewArranger[uint32](1000)}
	for range 3 {
		l.clear()
		want := map[[2]uint32]int{}
		for range 500 {
			v, level := random.Uint32N(1000), random.Uint32N(50)
			if want[[2]uint32{v, level}] > 0 {
				continue // a level changes to another only once
			}
			want[[2]uint32{v, level}]++
			l.join(v, level)
		}
		before := uint32(0)
		for l.count > 250 { // the rest is discarded
			level := l.lowest()
			require.GreaterOrEqual(t, level, before)
			before = level
			v, ok := l.pop(level)
			if !ok {
				continue
			}
			want[[2]uint32{v, level}]--
			require.Zero(t, want[[2]uint32{v, level}])
		}
		l.join(7, 0)
		require.Equal(t, uint32(0), l.lowest(), "a late low level goes first")
	}
}

// Rank 0 reports each phase before its progress, and values in the file that no search uses.
func TestPhases(t *testing.T) {
	path := appstest.Write(t, "g.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 4\n")
	generator := appstest.Must(graph.Kronecker(13, 16, 1))
	for _, c := range []struct {
		source   distgraph.Source
		want     []string
		weighted bool
	}{
		{distgraph.Source{Path: path}, []string{"edges read", "edges sent", "edges sorted", "searches", "1 of 1"}, true},
		{distgraph.Source{Generator: generator}, []string{"edges made", "65536 of 65536", "edges sorted", "searches",
			"1 of 1"}, false},
	} {
		var told []string
		var result Result
		err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			config := Config{Source: c.source, RootCount: 1}
			config.Phase = func(what string) { told = append(told, what) }
			config.Progress = func(done, total uint64) {
				if done == total {
					told = append(told, fmt.Sprintf("%d of %d", done, total))
				}
			}
			found, err := Run(r, config)
			if r.ID() == 0 {
				result = found
			}
			return err
		})
		require.NoError(t, err)
		require.Equal(t, c.want, told)
		require.Equal(t, c.weighted, result.Weighted)
		if c.weighted {
			require.Contains(t, result.Rows(), [2]string{"edges", "2, directed; their weights in the file are not used"})
		}
	}
}

// BenchmarkSearch reports the harmonic mean of traversed edges per second over the 16 default roots.
func BenchmarkSearch(b *testing.B) {
	for _, scale := range []int{14, 16} {
		for _, mode := range Modes {
			for _, ranks := range []int{1, 2, 16} {
				b.Run(fmt.Sprintf("kronecker=%d/%s/ranks=%d", scale, mode, ranks), func(b *testing.B) {
					config := Config{Source: distgraph.Source{Generator: appstest.Kronecker(b, scale)}, Mode: mode,
						Common: apps.Common{SkipValidation: true}}
					var last Result
					for b.Loop() {
						results := appstest.Must(run(b, pebble.Config{Ranks: ranks}, config))
						last = results[0]
					}
					b.ReportMetric(last.HarmonicMeanTEPS/1e6, "Medges/s")
					b.ReportMetric(last.SetUp*1e3, "ms-set-up")
				})
			}
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// halved treats the edges of an undirected graph as arcs.
type halved struct{ graph.Generator }

func (halved) Directed() bool { return true }

// run runs Run on ranks of this process, and returns the result of each.
func run(tb testing.TB, c pebble.Config, config Config) ([]Result, error) {
	tb.Helper()
	return appstest.Results(tb, c, Run, config)
}

// requireTwin requires that res equals the result of the serial twin from the same roots.
func requireTwin(tb testing.TB, source distgraph.Source, res Result) {
	tb.Helper()
	require.Empty(tb, res.Breaches)
	require.Zero(tb, res.Errors)
	want := appstest.Must(Serial(source, res.Roots.IDs))
	require.Len(tb, res.Reached, len(want))
	for i, w := range want {
		require.Equal(tb, w.Reached, res.Reached[i])
		require.Equal(tb, w.Depth, res.Depths[i])
		require.Equal(tb, w.Sum, res.DistanceSums[i])
	}
}

// Run finds the twin's result from each root.
func TestRun(t *testing.T) {
	for _, mode := range Modes {
		for _, source := range []distgraph.Source{{Generator: appstest.Kronecker(t, 7)},
			{Generator: halved{appstest.Kronecker(t, 7)}}} {
			c := Config{Source: source, Mode: mode, RootCount: 5, Common: apps.Common{Seed: 3}}
			for _, res := range appstest.All(t, appstest.Mem(3), Run, c) {
				require.Equal(t, mode, res.Mode)
				require.Len(t, res.Roots.IDs, 5)
				requireTwin(t, source, res)
			}
		}
	}
}
