package graphtest

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/communities"
	"github.com/activepebbles/pebbles/apps/components"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/apps/sssp"
	"github.com/activepebbles/pebbles/apps/triangles"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

var update = flag.Bool("update", false, "write the table of docs/applications.md anew")

// ldbcAlgorithm is an algorithm of LDBC Graphalytics, and the application for it.
type ldbcAlgorithm struct {
	name, command string
	column        string // of the result
	match         matching
	// run writes the result to a file. Its report has the verifier's errors.
	run func(r *pebble.Rank, c ldbcCase, common apps.Common) (apps.Report, error)
}

var ldbcAlgorithms = []ldbcAlgorithm{
	{"BFS", "bfs --root V", "distance", same,
		func(r *pebble.Rank, c ldbcCase, common apps.Common) (apps.Report, error) {
			res, err := bfs.Run(r, bfs.Config{Common: common, Source: c.source, Roots: distgraph.IDs(c.start)})
			return res.Report.Report, err
		}},
	{"PR", "pagerank --dangling spread --tolerance 0 --iterations N", "score", closely,
		func(r *pebble.Rank, c ldbcCase, common apps.Common) (apps.Report, error) {
			res, err := pagerank.Run(r, pagerank.Config{
				Common: common, Source: c.source, Dangling: graph.Spread, Fixed: true, Iterations: c.iterations,
			})
			return res.Report.Report, err
		}},
	{"WCC", "components", "component", equivalently,
		func(r *pebble.Rank, c ldbcCase, common apps.Common) (apps.Report, error) {
			res, err := components.Run(r, components.Config{Common: common, Source: c.source})
			return res.Report.Report, err
		}},
	{"CDLP", "communities --iterations N", "community", same,
		func(r *pebble.Rank, c ldbcCase, common apps.Common) (apps.Report, error) {
			res, err := communities.Run(r, communities.Config{Common: common, Source: c.source, Iterations: c.iterations})
			return res.Report.Report, err
		}},
	{"LCC", "triangles", "clustering", closely,
		func(r *pebble.Rank, c ldbcCase, common apps.Common) (apps.Report, error) {
			res, err := triangles.Run(r, triangles.Config{Common: common, Source: c.source})
			return res.Report.Report, err
		}},
	{"SSSP", "sssp --root V", "distance", closely,
		func(r *pebble.Rank, c ldbcCase, common apps.Common) (apps.Report, error) {
			source := c.source
			source.Weights = distgraph.Given
			res, err := sssp.Run(r, sssp.Config{Common: common, Source: source, Roots: distgraph.IDs(c.start)})
			return res.Report.Report, err
		}},
}

// ldbcCase is a graph with the reference output of one algorithm.
type ldbcCase struct {
	algorithm  ldbcAlgorithm
	graph      string // its name
	source     distgraph.Source
	start      uint64
	iterations int
	reference  string // its file
}

// ldbcIterations are the numbers of iterations of the references.
var ldbcIterations = map[string]int{
	"example PR": 2, "example CDLP": 2, "dir PR": 14, "undir PR": 26, "dir CDLP": 5, "undir CDLP": 5,
}

// ldbcCases returns all graphs of a folder with all algorithms that have references there.
func ldbcCases(folder string) (all []ldbcCase) {
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	lists := func(name string, undirected bool) distgraph.Source {
		return distgraph.Source{Path: at(name), Format: ingest.AdjacencyList, Undirected: undirected}
	}
	edges := func(name string, undirected bool) distgraph.Source {
		return distgraph.Source{
			Path: at(name + ".e"), Format: ingest.EdgeList, Vertices: []string{at(name + ".v")}, Undirected: undirected,
		}
	}
	for _, algorithm := range ldbcAlgorithms {
		name := algorithm.name
		for i, kind := range []string{"directed", "undirected"} {
			example := ldbcCase{
				algorithm: algorithm, graph: "example-" + kind, source: edges("example/example-"+kind, i == 1),
				start: uint64(1 + i), iterations: ldbcIterations["example "+name],
				reference: at("example/example-" + kind + "-" + name),
			}
			all = append(all, example)
			short := strings.TrimSuffix(kind, "ected")
			own := strings.ToLower(name) + "/" + short
			c := ldbcCase{
				algorithm: algorithm, graph: own, source: edges(own+"-input", i == 1), start: 1,
				iterations: ldbcIterations[short+" "+name], reference: at(own + "-output"),
			}
			if name != "SSSP" {
				example.graph += "-input"
				example.source = lists("example/example-"+kind+"-input", i == 1)
				all = append(all, example)
				c.source = lists(own+"-input", i == 1)
			}
			all = append(all, c)
		}
	}
	return all
}

// ldbcShapes are jobs of one process with any number of ranks, and of two processes over each transport between them.
func ldbcShapes() (all []appstest.Shape) {
	for _, s := range []appstest.Shape{
		{Transport: "mem", Procs: 1, Ranks: 1}, {Transport: "mem", Procs: 1, Ranks: 2},
		{Transport: "mem", Procs: 1, Ranks: 4}, {Transport: "mem", Procs: 1, Ranks: 7},
		{Transport: "shm", Procs: 2, Ranks: 4}, {Transport: "tcp", Procs: 2, Ranks: 7},
	} {
		s.New, s.Coalesce = route.Direct, 64
		all = append(all, s)
	}
	return all
}

// Every result that LDBC Graphalytics publishes for its validation graphs is reproduced, on any number of ranks and
// over all transports. The files have the same integers on all of them, and other numbers within 1e-9.
func TestLDBC(t *testing.T) {
	t.Parallel()
	cases := ldbcCases(appstest.Data(t, "ldbc"))
	first := map[int][]row{} // by the case: of the first job
	for _, s := range ldbcShapes() {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
			folder := t.TempDir()
			file := func(i int) string { return filepath.Join(folder, fmt.Sprintf("%d.csv", i)) }
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				for i, c := range cases {
					report, err := c.algorithm.run(r, c, apps.Common{Output: apps.Output{Path: file(i)}})
					if err != nil || report.Errors > 0 {
						return fmt.Errorf("%s of %s: %v %w", c.algorithm.name, c.graph, report.Wrong, err)
					}
				}
				return nil
			}))
			for i, c := range cases {
				rows := readRows(t, file(i), c.algorithm.column)
				requireMatch(t, c, rows)
				if first[i] == nil {
					first[i] = rows
				}
				requireSameRows(t, first[i], rows)
			}
		})
	}
	requireTable(t, cases)
}

func requireSameRows(t *testing.T, want, got []row) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		if w != got[i] {
			require.Equal(t, w.vertex, got[i].vertex)
			require.InDelta(t, w.number(t), got[i].number(t), 1e-9)
			require.Contains(t, w.value, ".", "an integer differs")
		}
	}
}

// requireTable requires that docs/applications.md has the table of the comparisons, and writes it with -update.
func requireTable(t *testing.T, cases []ldbcCase) {
	var b strings.Builder
	b.WriteString("| | command | vertices compared | match |\n|---|---|---|---|\n")
	for _, algorithm := range ldbcAlgorithms {
		counts := map[string]int{} // by graph
		for _, c := range cases {
			if c.algorithm.name == algorithm.name {
				counts[c.graph] = len(readReference(t, c.reference))
			}
		}
		own := strings.ToLower(algorithm.name)
		fmt.Fprintf(&b, "| %s | `pebbles %s` | example %d + %d, %s %d + %d | %s |\n", algorithm.name, algorithm.command,
			counts["example-directed"], counts["example-undirected"], own, counts[own+"/dir"], counts[own+"/undir"],
			algorithm.match)
	}
	const page = "../../docs/applications.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	table := regexp.MustCompile(`(?m)^\| \| command \|.*\n(\|.*\n)*`)
	require.True(t, table.Match(text), "docs/applications.md has no table of LDBC Graphalytics")
	if *update {
		require.NoError(t, os.WriteFile(page, table.ReplaceAllLiteral(text, []byte(b.String())), 0o644))
		return
	}
	require.Equal(t, b.String(), string(table.Find(text)), "go test ./apps/graphtest -run LDBC -update writes it anew")
}

// matching is a rule of LDBC Graphalytics for comparing a result with its reference.
type matching string

const (
	same         matching = "equal"
	equivalently matching = "equal but for names"
	closely      matching = "within 1e-4"
)

// holds reports whether a value matches the reference. For equivalence, seen has the pairs of values so far.
func (m matching) holds(want, got string, numbers func(text string) float64, seen map[string]string) bool {
	switch m {
	case equivalently:
		for a, b := range map[string]string{"ours " + got: want, "theirs " + want: got} {
			if before, known := seen[a]; known && before != b {
				return false
			}
			seen[a] = b
		}
		return true
	case closely:
		a, b := numbers(want), numbers(got)
		return a == b || math.Abs(a-b) <= 1e-4*math.Abs(a)
	case same:
	}
	return want == got
}
