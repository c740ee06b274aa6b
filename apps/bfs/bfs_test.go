package bfs

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
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

// The report has what the command promises, in JSON and as text.
func TestReport(t *testing.T) {
	var progress []uint64
	config := Config{Source: distgraph.Source{Generator: appstest.Kronecker(t, 6)}, RootCount: 4, Seed: 9, Progress: func(done, total uint64) {
		require.Equal(t, uint64(4), total)
		progress = append(progress, done)
	}}
	results, err := run(t, pebble.Config{Ranks: 3}, config)
	require.NoError(t, err)
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
	results, err = run(t, pebble.Config{Ranks: 3}, config)
	require.NoError(t, err)
	require.False(t, results[2].Validated)
	require.Contains(t, results[2].Rows(), [2]string{"trees", "not checked"})
	wrong := Result{Report: distgraph.Report{Validated: true}}
	wrong.Errors, wrong.Breaches = 2, []string{"rule 1: it hurts"}
	require.Contains(t, wrong.Rows(), [2]string{"trees", "WRONG: 2 breaches of the Graph500 rules"})
	require.Contains(t, wrong.Rows(), [2]string{"", "rule 1: it hurts"})
}

// spoiled is a kernel that gets one vertex wrong.
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
		g, err := distgraph.Build(r, distgraph.Source{Generator: appstest.List{N: 7, Edges: ring}.Generator()})
		if err != nil {
			return err
		}
		search, err := NewSearch(g, ByLevel, Tuning{})
		if err != nil {
			return err
		}
		s := spoiled{search.(byLevel[uint32])}
		res := Result{Report: distgraph.Report{Validated: true}}
		errors, err := res.Each(g, distgraph.Source{}, []uint64{0}, s, "searches", broken, func(float64) error { return nil })
		if err != nil {
			return err
		}
		if err := res.Found(r, errors, "breaches"); err != nil {
			return err
		}
		if err := res.Finish(r, s.Tally()); err != nil {
			return err
		}
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

// pebblesOf counts the pebbles that searches of a Kronecker graph send, and those that reductions catch.
func pebblesOf(tb testing.TB, cache int, config Config) (sent, merged uint64) {
	tb.Helper()
	config.Source, config.RootCount, config.SkipValidation = distgraph.Source{Generator: appstest.Kronecker(tb, 10)}, 4, true
	results, err := run(tb, pebble.Config{Ranks: 4, Cache: cache}, config)
	require.NoError(tb, err)
	return results[0].Counters.PebblesSent, results[0].Counters.Merged
}

// Both kernels reduce, and the level mode's filter leaves little to reduce.
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
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		tasks := task.New(r)
		for range 2 {
			g, err := distgraph.Build(r, distgraph.Source{Generator: appstest.List{N: 7, Edges: ring}.Generator()})
			if err != nil {
				return err
			}
			for i := range 2 * len(Modes) {
				s, err := NewSearch(g, Modes[i/2], Tuning{Unfiltered: i%2 == 0, Tasks: tasks})
				if err != nil {
					return err
				}
				if err := s.From(3); err != nil {
					return err
				}
				got, err := s.Summary()
				if err != nil {
					return err
				}
				require.Equal(t, Summary{graph.Summary{Reached: 6, Depth: 3, Sum: 9}, 6}, got)
			}
		}
		return nil
	}))
}

func TestFileErrorEndsRun(t *testing.T) {
	_, err := run(t, pebble.Config{Ranks: 3}, Config{Source: distgraph.Source{Path: filepath.Join(t.TempDir(), "none.el")}})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Sparse ids of a file are told by rank 0 in roots, errors and results.
func TestIDs(t *testing.T) {
	path := appstest.Write(t, "sparse.el", "# a comment\n1000 7\n7 500\n500 99\n12345678901 7\n")
	for _, ranks := range []int{1, 3} {
		results, err := run(t, pebble.Config{Ranks: ranks}, Config{Source: distgraph.Source{Path: path}, Roots: []uint64{1000, 12345678901, 99}})
		require.NoError(t, err)
		for _, res := range results {
			require.Equal(t, []uint64{4, 4, 1}, res.Reached)
			require.Equal(t, []int64{3, 3, 0}, res.Depths)
			require.Equal(t, []uint64{6, 6, 0}, res.DistanceSums)
			require.Equal(t, uint64(5), res.Vertices)
			require.Equal(t, path, res.Graph)
		}
		results, err = run(t, pebble.Config{Ranks: ranks}, Config{Source: distgraph.Source{Path: path}, RootCount: 100})
		require.NoError(t, err)
		require.ElementsMatch(t, []uint64{1000, 7, 500, 12345678901}, results[0].Roots, "99 has no arc to another")

		_, err = run(t, pebble.Config{Ranks: ranks}, Config{Source: distgraph.Source{Path: path}, Roots: []uint64{7, 8}})
		require.ErrorIs(t, err, distgraph.ErrRoot)
		require.ErrorContains(t, err, "root 8: graph "+path+" has 5 vertices with ids from 7 to 12345678901, and none is this one")
	}
}

func TestBadRoots(t *testing.T) {
	for name, c := range map[string]struct {
		l     appstest.List
		roots []uint64
		says  string
	}{
		"outside":     {appstest.List{N: 4, Edges: ring[:2]}, []uint64{1, 4}, "root 4: graph list of 2 edges has 4 vertices with ids from 0 to 3"},
		"no vertices": {appstest.List{}, []uint64{0}, "root 0: graph list of 0 edges has no vertices"},
		"none to draw": {appstest.List{N: 2, Edges: []graph.Edge{{From: 1, To: 1}}}, nil,
			"draw roots: graph list of 1 edges has no arc from a vertex to another: name a root"},
	} {
		for _, ranks := range []int{1, 4} {
			t.Run(name, func(t *testing.T) {
				errs := make([]error, ranks)
				require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
					_, errs[r.ID()] = Run(r, Config{Source: distgraph.Source{Generator: c.l.Generator()}, Roots: c.roots})
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
		g, err := distgraph.Build(r, distgraph.Source{Generator: appstest.List{N: 1}.Generator()})
		if err != nil {
			return err
		}
		s, err := NewSearch(g, Async, Tuning{})
		if err != nil {
			return err
		}
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
		"both roots and a number of roots to draw": {Source: good, RootCount: 1, Roots: []uint64{0}},
		"no graph: give a file or a generator":     {},
		"both a file and a generator are given":    {Source: distgraph.Source{Path: "x", Generator: appstest.List{N: 1}.Generator()}},
	} {
		require.ErrorContains(t, c.Check(2), says)
		_, err := run(t, pebble.Config{Ranks: 2}, c)
		require.ErrorContains(t, err, says)
	}
	require.NoError(t, Config{Source: good}.Check(1))
}

// What is known of real graphs, from their publishers and from other programs. Roots are the files' ids.
var known = []struct {
	file            string
	vertices, edges uint64
	undirected      bool
	roots           []uint64
	answers         []graph.Summary
}{
	{"cnr-2000.el.gz", 325557, 3216152, false, []uint64{217849, 0},
		[]graph.Summary{{Reached: 325557, Depth: 35, Sum: 5426851}, {Reached: 311, Depth: 8, Sum: 1502}}},
	{"road-NY.gr.gz", 264346, 365050, true, []uint64{1}, []graph.Summary{{Reached: 264346, Depth: 619, Sum: 90771609}}},
	{"soc-Epinions1.txt.gz", 75879, 508837, false, []uint64{0}, []graph.Summary{{Reached: 47676, Depth: 9, Sum: 170249}}},
	{"wiki-Vote.txt.gz", 7115, 103689, false, []uint64{30}, []graph.Summary{{Reached: 2316, Depth: 5, Sum: 6920}}},
}

func TestKnownAnswers(t *testing.T) {
	for _, want := range known {
		for _, shape := range []pebble.Config{
			{Ranks: 2, Topology: route.Direct},
			{Ranks: 5, Topology: route.Hypercube, Cache: 1024},
		} {
			t.Run(fmt.Sprintf("%s, %d ranks", want.file, shape.Ranks), func(t *testing.T) {
				if raceDetector && want.edges > 200_000 {
					t.Skip("takes too long under the race detector")
				}
				path := appstest.Data(t, want.file)
				var got []graph.Summary
				var made distgraph.Graph
				require.NoError(t, appstest.Job(t, shape, func(r *pebble.Rank) error {
					g, err := distgraph.Build(r, distgraph.Source{Path: path})
					if err != nil {
						return err
					}
					if r.ID() == 0 {
						made = *g
					}
					tuning := Tuning{Tasks: task.New(r)}
					for _, mode := range Modes {
						all, err := searchAll(g, mode, tuning, want.roots)
						if err != nil {
							return err
						}
						if r.ID() == 0 {
							got = append(got, all...)
						}
					}
					return nil
				}))
				require.Equal(t, want.vertices, made.Vertices)
				require.Equal(t, want.edges, made.Edges)
				require.Equal(t, want.undirected, made.Undirected)
				require.Equal(t, slices.Repeat(want.answers, len(Modes)), got)
			})
		}
	}
}

// searchAll searches from ids and validates each tree.
func searchAll(g *distgraph.Graph, mode Mode, tuning Tuning, ids []uint64) (all []graph.Summary, err error) {
	roots, err := g.Indices(ids)
	if err != nil {
		return nil, err
	}
	s, err := NewSearch(g, mode, tuning)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if err := s.From(root); err != nil {
			return nil, err
		}
		sum, err := s.Summary()
		if err != nil {
			return nil, err
		}
		all = append(all, sum.Summary)
		found, err := s.Validate()
		if err != nil {
			return nil, err
		}
		if found.Count > 0 {
			return nil, fmt.Errorf("%d breaches, the first %+v", found.Count, found.First[0])
		}
	}
	return all, nil
}

// Lines give back each vertex that joined, lowest level first, and keep nothing for the next search.
func TestLines(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	l := lines[uint32]{inOrder: distgraph.NewArranger[uint32](1000)}
	for range 3 {
		l.clear()
		want := map[[2]uint32]int{}
		for range 500 {
			v, level := random.Uint32N(1000), random.Uint32N(50)
			if want[[2]uint32{v, level}] > 0 {
				continue // a level falls to another but once
			}
			want[[2]uint32{v, level}]++
			l.join(v, level)
		}
		before := uint32(0)
		for l.count > 250 { // the rest is forgotten
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

// Rank 0 tells of each phase before its progress, and what the file has that no search uses.
func TestPhases(t *testing.T) {
	path := appstest.Write(t, "g.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 4\n")
	generator, err := graph.Kronecker(13, 16, 1)
	require.NoError(t, err)
	for _, c := range []struct {
		source   distgraph.Source
		want     []string
		weighted bool
	}{
		{distgraph.Source{Path: path}, []string{"edges read", "edges sent", "edges sorted", "searches", "1 of 1"}, true},
		{distgraph.Source{Generator: generator}, []string{"edges made", "65536 of 65536", "edges sorted", "searches", "1 of 1"}, false},
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

// BenchmarkSearch tells the harmonic mean of traversed edges a second over the 16 default roots.
func BenchmarkSearch(b *testing.B) {
	for _, scale := range []int{14, 16} {
		for _, mode := range Modes {
			for _, ranks := range []int{1, 2, 16} {
				b.Run(fmt.Sprintf("kronecker=%d/%s/ranks=%d", scale, mode, ranks), func(b *testing.B) {
					config := Config{Source: distgraph.Source{Generator: appstest.Kronecker(b, scale)}, Mode: mode, SkipValidation: true}
					var last Result
					for b.Loop() {
						results, err := run(b, pebble.Config{Ranks: ranks}, config)
						require.NoError(b, err)
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

// halved takes the edges of an undirected graph as arcs.
type halved struct{ graph.Generator }

func (halved) Directed() bool { return true }

// run is Run on ranks of this process, with the result of each.
func run(tb testing.TB, c pebble.Config, config Config) ([]Result, error) {
	tb.Helper()
	return appstest.Results(tb, c, Run, config)
}

// requireTwin requires that res is what the serial twin finds from the same roots.
func requireTwin(tb testing.TB, source distgraph.Source, res Result) {
	tb.Helper()
	require.Empty(tb, res.Breaches)
	require.Zero(tb, res.Errors)
	want, err := Serial(source, res.Roots)
	require.NoError(tb, err)
	require.Len(tb, res.Reached, len(want))
	for i, w := range want {
		require.Equal(tb, w.Reached, res.Reached[i])
		require.Equal(tb, w.Depth, res.Depths[i])
		require.Equal(tb, w.Sum, res.DistanceSums[i])
	}
}

// Run finds from each root what the twin does.
func TestRun(t *testing.T) {
	for _, mode := range Modes {
		for _, source := range []distgraph.Source{{Generator: appstest.Kronecker(t, 7)}, {Generator: halved{appstest.Kronecker(t, 7)}}} {
			results, err := run(t, pebble.Config{Ranks: 3}, Config{Source: source, Mode: mode, RootCount: 5, Seed: 3})
			require.NoError(t, err)
			for _, res := range results {
				require.Equal(t, mode, res.Mode)
				require.Len(t, res.Roots, 5)
				requireTwin(t, source, res)
			}
		}
	}
}

// The shape of the network makes no difference. Steps along arcs are the same code in two modes: these take turns with
// the third.
func TestMatrix(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 5)}
	turn := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		turn++
		modes := []Mode{Direction, Async}
		if !s.General() || turn%2 == 0 {
			modes = []Mode{Direction, ByLevel} // chains of the third have no bound
		} else if turn%3 == 0 {
			modes = []Mode{Tasks, Async}
		}
		source.Order = distgraph.Orders[turn%len(distgraph.Orders)]
		tuning := Tuning{Unfiltered: s.Cache == 64}
		var ids []uint64
		found := make([]Summary, len(modes))
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			g, err := distgraph.Build(r, source)
			if err != nil {
				return err
			}
			roots, err := g.Draw(1, uint64(s.Coalesce))
			if err != nil {
				return err
			}
			tuning := tuning
			tuning.Tasks = task.New(r)
			of, err := searchEach(g, modes, tuning, roots[0])
			if err != nil {
				return err
			}
			names, err := g.IDs(roots)
			if r.ID() == 0 {
				ids, found = names, of
			}
			return err
		}))
		want, err := Serial(source, ids)
		require.NoError(t, err)
		for i, mode := range modes {
			require.Equal(t, want[0], found[i], "%s", mode)
		}
	})
}

// searchEach searches from one root by some modes, and validates each tree.
func searchEach(g *distgraph.Graph, modes []Mode, tuning Tuning, root uint64) (all []Summary, err error) {
	for _, mode := range modes {
		s, err := NewSearch(g, mode, tuning)
		if err != nil {
			return nil, err
		}
		if err := s.From(root); err != nil {
			return nil, err
		}
		sum, err := s.Summary()
		if err != nil {
			return nil, err
		}
		found, err := s.Validate()
		if err != nil {
			return nil, err
		}
		if found.Count > 0 {
			return nil, fmt.Errorf("%s: %d breaches, the first %+v", mode, found.Count, found.First[0])
		}
		all = append(all, sum)
	}
	return all, nil
}

// Odd graphs, with more ranks than vertices among them, and 64-bit indices: by all modes and thresholds.
func TestOddGraphs(t *testing.T) {
	path := make([]graph.Edge, 270) // deeper than a byte can tell
	for i := range path {
		path[i] = graph.Edge{From: uint64(i), To: uint64(i) + 1}
	}
	for name, l := range map[string]appstest.List{
		"one vertex":         {N: 1},
		"one loop":           {N: 1, Edges: []graph.Edge{{From: 0, To: 0}}},
		"no edges":           {N: 5},
		"loops only":         {N: 3, Edges: []graph.Edge{{From: 0, To: 0}, {From: 2, To: 2}, {From: 2, To: 2}}},
		"duplicates":         {N: 3, Edges: []graph.Edge{{From: 0, To: 1}, {From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2}, {From: 1, To: 2}}},
		"two parts":          {N: 7, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 2}, {From: 3, To: 3}, {From: 4, To: 5}, {From: 5, To: 4}}},
		"path":               {N: 271, Edges: path},
		"a power of 2 and 1": {N: 65, Edges: []graph.Edge{{From: 63, To: 64}, {From: 64, To: 0}, {From: 0, To: 63}}},
	} {
		for _, ranks := range []int{1, 3, 9} {
			if l.N > 100 && ranks > 3 {
				continue // hundreds of epochs
			}
			root := l.N / 2
			if name == "path" {
				root = 0
			}
			for _, directed := range []bool{false, true} {
				l.Directed = directed
				sources := []distgraph.Source{{Generator: l.Generator()}, {Generator: l.Generator(), Wide: true}, {Generator: l.Generator(), Undirected: true, Order: distgraph.ByDegree}}
				for _, source := range sources {
					t.Run(fmt.Sprintf("%s, %d ranks, %+v", name, ranks, source), func(t *testing.T) {
						whole(t, appstest.On(t, pebble.Config{Ranks: ranks}), source, root)
					})
				}
			}
		}
	}
}

// Generated graphs of some size: result by result the same as the serial twin, level by level.
func TestGenerated(t *testing.T) {
	for _, source := range []distgraph.Source{
		{Generator: appstest.Kronecker(t, 11)},
		{Generator: appstest.ErdosRenyi(t, 11, 8)},
		{Generator: appstest.ErdosRenyi(t, 12, 1), Undirected: true},
		{Generator: appstest.Kronecker(t, 9), Wide: true},
		{Generator: appstest.Kronecker(t, 10), Order: distgraph.ByDegree},
		{Generator: appstest.Kronecker(t, 9), Order: distgraph.ByDegree, Wide: true},
		{Generator: appstest.ErdosRenyi(t, 9, 4), Order: distgraph.ByDegree, Undirected: true},
		{Generator: halved{appstest.Kronecker(t, 10)}},
	} {
		c, _, err := source.Load()
		require.NoError(t, err)
		for _, mode := range Modes {
			for _, ranks := range []int{1, 2, 5} {
				t.Run(fmt.Sprintf("%s %s, %s, %d ranks", source.Name(), source.Order, mode, ranks), func(t *testing.T) {
					parents, levels := make([]int64, c.Vertices()), make([]int64, c.Vertices())
					var root uint64
					var sum Summary
					require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 256}, func(r *pebble.Rank) error {
						g, err := distgraph.Build(r, source)
						if err != nil {
							return err
						}
						roots, err := g.Draw(1, 7)
						if err != nil {
							return err
						}
						s, err := NewSearch(g, mode, Tuning{Tasks: task.New(r)})
						if err != nil {
							return err
						}
						if err := s.From(roots[0]); err != nil {
							return err
						}
						parent, level, err := s.Result()
						if err != nil {
							return err
						}
						copy(parents[g.First:], parent) // each rank its own part
						copy(levels[g.First:], level)
						found, err := s.Summary()
						if err != nil {
							return err
						}
						ids, err := g.IDs(roots)
						if r.ID() == 0 {
							root, sum = ids[0], found
						}
						return err
					}))
					dist, _ := graph.BFS(c, root)
					require.Equal(t, dist, levels)
					require.NoError(t, graph.Validate(c, root, parents, levels))
					require.Equal(t, graph.Summarize(dist), sum.Summary)
					require.Equal(t, graph.TraversedEdges(c, dist), sum.Traversed)
				})
			}
		}
	}
}

// ring is six vertices in a ring, with a seventh apart.
var ring = []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}, {From: 4, To: 5}, {From: 5, To: 0}}

func with(edges []graph.Edge, more ...graph.Edge) []graph.Edge {
	return append(append([]graph.Edge(nil), edges...), more...)
}

// judge searches l from vertex 0 on some ranks, lets change spoil the result, and returns what the validator says of
// it. change is given the result as a whole.
func judge(tb testing.TB, ranks int, l appstest.List, order distgraph.Order, change func(parent, level []int64)) (breaches uint64, texts []string) {
	tb.Helper()
	dist, parent := graph.BFS(graph.NewCSR(l.N, l.Edges, l.Directed), 0)
	change(parent, dist)
	err := appstest.Job(tb, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, distgraph.Source{Generator: l.Generator(), Order: order})
		if err != nil {
			return err
		}
		search, err := NewSearch(g, ByLevel, Tuning{})
		if err != nil {
			return err
		}
		numbers := []uint64{0}
		for _, p := range parent {
			numbers = append(numbers, uint64(p))
		}
		indices, err := g.IndicesOf(numbers)
		if err != nil {
			return err
		}
		s := search.(byLevel[uint32])
		s.start(indices[0])
		for number := range g.Local {
			place, at := s.Place(uint64(number)), int(g.First)+number
			s.parent[place], s.level[place] = uint32(indices[1+at]), uint32(dist[at])
		}
		found, err := s.Validate()
		if err != nil {
			return err
		}
		said, err := g.Describe(found, broken)
		if err != nil {
			return err
		}
		total, err := pebble.AllReduce(r, found.Count, func(a, b uint64) uint64 { return a + b })
		if r.ID() == 0 {
			breaches, texts = total, said
		}
		return err
	})
	require.NoError(tb, err)
	return breaches, texts
}

// Each rule is broken in each way it can be.
func TestEachRule(t *testing.T) {
	const none = graph.Unreached
	for name, c := range map[string]struct {
		edges    []graph.Edge
		directed bool
		change   func(parent, level []int64)
		says     string
	}{
		"root adopted":     {ring, false, func(parent, _ []int64) { parent[0] = 1 }, "rule 1: the root 0 has parent 1, not itself"},
		"second root":      {ring, false, func(parent, _ []int64) { parent[2] = 2 }, "rule 1: vertex 2 is its own parent, but not the root"},
		"parent no vertex": {ring, false, func(parent, _ []int64) { parent[4] = 7 }, "rule 1: the parent of vertex 4 is no vertex"},
		"path breaks": {ring, false, func(parent, level []int64) { parent[1], level[1] = none, none },
			"rule 1: vertex 2 has parent 1, which is not reached"},
		"root not at 0": {ring, false, func(_, level []int64) { level[0] = 1 }, "rule 2: the root 0 is at level 1, not 0"},
		"cycle": {ring, false, func(parent, _ []int64) { parent[1], parent[2] = 2, 1 },
			"rule 2: vertex 1 at level 1 has parent 2 at level 2, not one less"},
		"tree edge level": {ring, false, func(_, level []int64) { level[3] = 2 }, "rule 2: vertex 3 at level 2 has parent 2 at level 2, not one less"},
		"edge skips levels": {with(ring, graph.Edge{From: 0, To: 3}), false, func(parent, level []int64) {
			parent[2], parent[3], level[3], parent[4] = 1, 2, 3, 5
		}, "rule 3: edge 0 -> 3 leads from level 0 to level 3, more than one below"},
		"arc skips levels": {with(ring, graph.Edge{From: 0, To: 3}), true, func(parent, level []int64) {
			parent[3], level[3], parent[4], level[4], parent[5], level[5] = 2, 3, 3, 4, 4, 5
		}, "rule 3: edge 0 -> 3 leads from level 0 to level 3, more than one below"},
		"part left out": {ring, false, func(parent, level []int64) { parent[3], level[3] = none, none },
			"rule 3: edge 2 -> 3 leads from level 2 to a vertex that is not reached"},
		"level without parent": {ring, false, func(_, level []int64) { level[6] = 1 }, "rule 4: vertex 6 is reached at level 1 but has no parent"},
		"parent without level": {ring, false, func(parent, _ []int64) { parent[6] = 0 }, "rule 4: vertex 6 has parent 0 but no level"},
		"stranger joined": {ring, false, func(parent, level []int64) { parent[6], level[6] = 0, 1 },
			"rule 5: vertex 6 has parent 0, but the graph has no edge 0 -> 6"},
		"no such tree edge": {ring, false, func(parent, _ []int64) { parent[2] = 5 },
			"rule 5: vertex 2 has parent 5, but the graph has no edge 5 -> 2"},
		"against the arc": {with(ring, graph.Edge{From: 2, To: 1}, graph.Edge{From: 0, To: 2}), true,
			func(parent, level []int64) { parent[1], level[1] = 2, 2 }, "rule 3: edge 0 -> 1 leads from level 0 to level 2, more than one below"},
	} {
		for _, ranks := range []int{1, 3, 8} {
			t.Run(fmt.Sprintf("%s, %d ranks", name, ranks), func(t *testing.T) {
				l := appstest.List{N: 7, Edges: c.edges, Directed: c.directed}
				for _, order := range []distgraph.Order{distgraph.AsGiven, distgraph.ByDegree} {
					if c.directed && order == distgraph.ByDegree {
						continue
					}
					breaches, texts := judge(t, ranks, l, order, func(_, _ []int64) {})
					require.Zero(t, breaches, texts)
					breaches, texts = judge(t, ranks, l, order, c.change)
					require.NotZero(t, breaches)
					require.Contains(t, texts, c.says)
				}
			})
		}
	}
}

// On small random graphs, with one to three entries of a true result changed at random, the validator finds something
// exactly when its serial twin does.
func TestValidateAgrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Uint64Range(1, 8).Draw(rt, "vertices")
		vertex := rapid.Uint64Range(0, n-1)
		l := appstest.List{N: n, Directed: rapid.Bool().Draw(rt, "directed"), Edges: appstest.DrawEdges(rt, n, 20)}
		order := distgraph.AsGiven
		if !l.Directed {
			order = rapid.SampledFrom(distgraph.Orders).Draw(rt, "order")
		}
		entry := rapid.Int64Range(graph.Unreached, int64(n))
		var twin error
		breaches, texts := judge(t, rapid.IntRange(1, 4).Draw(rt, "ranks"), l, order, func(parent, level []int64) {
			for range rapid.IntRange(0, 3).Draw(rt, "changes") {
				if rapid.Bool().Draw(rt, "change parent") {
					parent[vertex.Draw(rt, "vertex")] = entry.Draw(rt, "parent")
				} else {
					level[vertex.Draw(rt, "vertex")] = entry.Draw(rt, "level")
				}
			}
			twin = graph.Validate(graph.NewCSR(l.N, l.Edges, l.Directed), 0, parent, level)
		})
		if (twin != nil) != (breaches > 0) {
			rt.Fatalf("the twin says %v, the validator %v", twin, texts)
		}
	})
}
