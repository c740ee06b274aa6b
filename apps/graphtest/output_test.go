package graphtest

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/jaccard"
	"github.com/activepebbles/pebbles/apps/kcore"
	"github.com/activepebbles/pebbles/apps/sssp"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// outputs are the graphs of the written results: one that ranks order by degree, one in the order of the source, and a
// file with sparse ids. label returns the label of a number.
func outputs(t *testing.T) map[string]struct {
	source distgraph.Source
	label  func(number uint64) uint64
} {
	same := func(v uint64) uint64 { return v }
	apart := func(v uint64) uint64 { return v*v + 3 }
	lines := ""
	for v := range uint64(60) {
		lines += fmt.Sprintf("%d %d\n%d %d\n", apart(v), apart((v*7+1)%60), apart(v), apart((v*5+2)%60))
	}
	return map[string]struct {
		source distgraph.Source
		label  func(uint64) uint64
	}{
		"by degree":     {distgraph.Source{Generator: appstest.Kronecker(t, 7)}, same},
		"wide":          {distgraph.Source{Generator: appstest.ErdosRenyi(t, 6, 4), Wide: true}, same},
		"ids far apart": {distgraph.Source{Path: appstest.Write(t, "edges.txt", lines)}, apart},
	}
}

// leaves runs an application everywhere, and compares the file that it writes with rows. Floats may differ by 1e-9.
func leaves(t *testing.T, header string, want [][]any, run func(r *pebble.Rank, c apps.Common) error) {
	appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		path := filepath.Join(t.TempDir(), "rows.csv")
		c := apps.Common{Output: apps.Output{Path: path, Top: 3}}
		return func(r *pebble.Rank) error { return run(r, c) }, func(t *testing.T) {
			f, err := os.Open(path)
			require.NoError(t, err)
			defer f.Close()
			rows, err := csv.NewReader(f).ReadAll()
			require.NoError(t, err)
			require.Equal(t, header, strings.Join(rows[0], ","))
			require.Len(t, rows[1:], len(want))
			for i, row := range rows[1:] {
				for j, cell := range want[i] {
					alike(t, cell, row[j], "row %d: %q, and not %v", i, row, want[i])
				}
			}
		}
	})
}

// alike compares a cell of a file with a value.
func alike(t *testing.T, want any, cell string, says ...any) {
	t.Helper()
	number, isFloat := want.(float64)
	if !isFloat {
		require.Equal(t, fmt.Sprint(want), cell, says...)
		return
	}
	got, err := strconv.ParseFloat(cell, 64)
	require.NoError(t, err)
	require.InDelta(t, number, got, 1e-9*max(1, math.Abs(number)), says...)
}

// treeRows returns the rows of the tree in which each parent has the smallest possible number.
func treeRows(c *graph.CSR, root uint64, dist []float64, label func(uint64) uint64, isLevel bool) (rows [][]any) {
	parents := make([]uint64, len(dist))
	for v := range parents {
		parents[v] = math.MaxUint64
	}
	for v := range uint64(len(dist)) {
		for at := c.Offsets[v]; at < c.Offsets[v+1]; at++ {
			weight, w := 1.0, c.Heads[at]
			if c.Weights != nil {
				weight = c.Weights[at]
			}
			if dist[v] < dist[w] && dist[v]+weight == dist[w] {
				parents[w] = min(parents[w], v)
			}
		}
	}
	parents[root] = root
	for v, d := range dist {
		var distance any = d
		if isLevel {
			distance = uint64(d)
		}
		if !math.IsInf(d, 1) {
			rows = append(rows, []any{label(uint64(v)), label(parents[v]), distance})
		}
	}
	return rows
}

func TestSearchesLeaveTheirTrees(t *testing.T) {
	const root = 2
	for name, of := range outputs(t) {
		c, _, err := of.source.Load()
		require.NoError(t, err)
		levels, _ := graph.BFS(c, root)
		dist := make([]float64, len(levels))
		for v, level := range levels {
			if dist[v] = float64(level); level == graph.Unreached {
				dist[v] = math.Inf(1)
			}
		}
		for _, mode := range bfs.Modes {
			if mode != bfs.ByLevel && name != "by degree" {
				continue
			}
			t.Run(fmt.Sprintf("bfs, %s, %s", name, mode), func(t *testing.T) {
				leaves(t, "vertex,parent,distance", treeRows(c, root, dist, of.label, true),
					func(r *pebble.Rank, common apps.Common) error {
						_, err := bfs.Run(r, bfs.Config{Common: common, Source: of.source, Mode: mode,
							Roots: distgraph.IDs(of.label(root))})
						return err
					})
			})
		}
		t.Run("sssp, "+name, func(t *testing.T) {
			source := of.source
			source.Weights, source.Seed = distgraph.Random, seeds.Of(t)
			c, _, err := source.Load()
			require.NoError(t, err)
			dist, _ := graph.Dijkstra(c, root)
			leaves(t, "vertex,parent,distance", treeRows(c, root, dist, of.label, false),
				func(r *pebble.Rank, common apps.Common) error {
					_, err := sssp.Run(r, sssp.Config{Common: common, Source: source, Roots: distgraph.IDs(of.label(root))})
					return err
				})
		})
	}
}

// Even where arcs add nothing to a distance, parents form a tree, the same one everywhere: by the smallest number of
// such arcs, then by the smallest label.
func TestTreesOverArcsOfNoWeight(t *testing.T) {
	l := appstest.List{N: 8, Edges: edges(0, 1, 1, 2, 2, 3, 3, 1, 0, 4, 4, 5, 5, 6, 6, 4, 2, 6),
		Weights: []float64{1, 0, 0, 0, 1, 0, 0, 0, 0}}
	want := [][]any{{0, 0, 0.0}, {1, 0, 1.0}, {2, 1, 1.0}, {3, 1, 1.0}, {4, 0, 1.0}, {5, 4, 1.0}, {6, 4, 1.0}}
	source := distgraph.Source{Generator: l.Generator(), Weights: distgraph.Given}
	leaves(t, "vertex,parent,distance", want, func(r *pebble.Rank, common apps.Common) error {
		_, err := sssp.Run(r, sssp.Config{Common: common, Source: source, Roots: distgraph.IDs(0)})
		return err
	})
	l.Directed = true // 0-1-2-3, 2-6, 0-4-5-6: 6 is two arcs of no weight away either way, 2 before 5
	want[3], want[6] = []any{3, 2, 1.0}, []any{6, 2, 1.0}
	source.Generator = l.Generator()
	leaves(t, "vertex,parent,distance", want, func(r *pebble.Rank, common apps.Common) error {
		_, err := sssp.Run(r, sssp.Config{Common: common, Source: source, Roots: distgraph.IDs(0)})
		return err
	})
}

func TestWholeGraphsLeaveTheirNumbers(t *testing.T) {
	for name, of := range outputs(t) {
		t.Run("kcore, "+name, func(t *testing.T) {
			cores, err := kcore.Serial(of.source)
			require.NoError(t, err)
			var want [][]any
			for v, core := range cores {
				want = append(want, []any{of.label(uint64(v)), core})
			}
			leaves(t, "vertex,core", want, func(r *pebble.Rank, common apps.Common) error {
				_, err := kcore.Run(r, kcore.Config{Common: common, Source: of.source})
				return err
			})
		})
		t.Run("centrality, "+name, func(t *testing.T) {
			sources := []uint64{of.label(2), of.label(5)}
			scores, err := centrality.Serial(of.source, sources)
			require.NoError(t, err)
			var want [][]any
			for v, score := range scores {
				want = append(want, []any{of.label(uint64(v)), score})
			}
			leaves(t, "vertex,score", want, func(r *pebble.Rank, common apps.Common) error {
				_, err := centrality.Run(r, centrality.Config{Common: common, Source: of.source,
					Sources: distgraph.IDs(sources...)})
				return err
			})
		})
		t.Run("jaccard, "+name, func(t *testing.T) {
			pairs, err := jaccard.Serial(of.source)
			require.NoError(t, err)
			var want [][]any
			for _, p := range pairs {
				if p.Similarity >= 0.2 {
					want = append(want, []any{of.label(p.First), of.label(p.Second), p.Similarity})
				}
			}
			leaves(t, "source,target,similarity", want, func(r *pebble.Rank, common apps.Common) error {
				_, err := jaccard.Run(r, jaccard.Config{Common: common, Source: of.source, Threshold: 0.2})
				return err
			})
		})
	}
}

// Rows of several searches are an error before the job begins.
func TestRowsOfOneSearch(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 5)}
	weighted := source
	weighted.Weights = distgraph.Ones
	kept := apps.Common{Output: apps.Output{Path: "a.csv"}}
	const says = "rows are those of one search, and there are 16 roots: give one, or draw 1"
	require.ErrorContains(t, bfs.Config{Common: kept, Source: source}.Check(1), says)
	require.ErrorContains(t, sssp.Config{Common: kept, Source: weighted}.Check(1), says)
	require.ErrorContains(t, bfs.Config{Common: kept, Source: source, Roots: distgraph.IDs(1, 2)}.Check(1), "2 roots")
	require.NoError(t, bfs.Config{Common: kept, Source: source, Roots: distgraph.IDs(1)}.Check(1))
	require.NoError(t, sssp.Config{Common: kept, Source: weighted, RootCount: 1}.Check(1))
	require.NoError(t, bfs.Config{Source: source}.Check(1))
}

// Other tools read the rows of a public graph: sort finds them in order, and mawk adds up the published distances.
func TestOtherToolsReadRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tree.csv")
	config := bfs.Config{Source: distgraph.Source{Path: appstest.Data(t, "wiki-Vote.txt.gz")}, Roots: distgraph.IDs(30)}
	config.Output = apps.Output{Path: path}
	_, err := appstest.Results(t, pebble.Config{Ranks: 3}, bfs.Run, config)
	require.NoError(t, err)
	for _, c := range []struct {
		want string
		line []string
	}{
		{"", []string{"sort", "-t,", "-k1,1n", "-c", path}},
		{"2316 5 6920\n", []string{"mawk", "-F,",
			"NR > 1 { n++; sum += $3; if ($3 > most) most = $3 } END { print n, most, sum }", path}},
	} {
		if _, err := exec.LookPath(c.line[0]); err != nil {
			t.Logf("no %s here", c.line[0])
			continue
		}
		command := exec.Command(c.line[0], c.line[1:]...)
		command.Env = append(os.Environ(), "LC_ALL=C")
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, c.want, string(out))
	}
}
