package graph

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// dataFile returns the path of a real graph, and skips the test where there is none.
func dataFile(tb testing.TB, name string) string {
	tb.Helper()
	folder := os.Getenv("PEBBLES_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		require.ErrorIs(tb, err, fs.ErrNotExist)
		tb.Skipf("no %s: set PEBBLES_DATA to the folder of real graphs", path)
	}
	return path
}

type answer struct {
	root uint64 // the file's id
	Summary
}

var realGraphs = []struct {
	file            string
	format          Format
	vertices, edges uint64
	directed        bool
	loops           int
	answers         []answer
}{
	{"cnr-2000.el.gz", EdgeList, 325557, 3216152, true, 87442, []answer{
		{217849, Summary{325557, 35, 5426851}}, {0, Summary{311, 8, 1502}}}},
	{"road-NY.gr.gz", PACE, 264346, 365050, false, 0, []answer{{1, Summary{264346, 619, 90771609}}}},
	{"soc-Epinions1.txt.gz", EdgeList, 75879, 508837, true, 0, []answer{{0, Summary{47676, 9, 170249}}}},
	{"wiki-Vote.txt.gz", EdgeList, 7115, 103689, true, 0, []answer{{30, Summary{2316, 5, 6920}}}},
	{"astro-ph.metis.graph.gz", METIS, 16706, 121251, false, 0, nil},
	{"memplus.mtx.gz", MatrixMarket, 17758, 126150, true, 17758, nil},
}

func TestRealGraphs(t *testing.T) {
	for _, want := range realGraphs {
		t.Run(want.file, func(t *testing.T) {
			f, err := Open(dataFile(t, want.file))
			require.NoError(t, err)
			defer func() { require.NoError(t, f.Close()) }()
			edges, err := ReadAll(f)
			require.NoError(t, err)
			require.Equal(t, want.format, f.Format())
			require.Equal(t, want.vertices, f.Vertices())
			require.Len(t, edges, int(want.edges))
			require.Equal(t, want.directed, f.Directed())
			told, known := f.EdgesTold()
			require.True(t, known)
			require.Equal(t, want.edges, told)
			require.Equal(t, want.loops, selfLoops(edges))
			checkNames(t, f)

			c := NewCSR(f.Vertices(), edges, f.Directed())
			require.Equal(t, want.edges, c.Edges())
			for _, a := range want.answers {
				root, known := f.Index(a.root)
				require.True(t, known)
				dist, parent := BFS(c, root)
				require.Equal(t, a.Summary, Summarize(dist))
				require.NoError(t, Validate(c, root, parent, dist))
				if a.Reached == want.vertices {
					require.Equal(t, want.edges, TraversedEdges(c, dist), "all edges are traversed, each once")
				}
			}
		})
	}
}

func TestRealContactsAreNoGraph(t *testing.T) {
	path := dataFile(t, "primaryschool.csv.gz")
	_, err := Open(path)
	require.ErrorIs(t, err, ErrSyntax)
	_, err = Open(path, WithFormat(EdgeList))
	require.ErrorIs(t, err, ErrSyntax)
}

func selfLoops(edges []Edge) (loops int) {
	for _, e := range edges {
		if e.From == e.To {
			loops++
		}
	}
	return loops
}

// checkNames checks that Index and ID are inverse bijections, by all indices of a small graph and a sample of a large
// one.
func checkNames(tb testing.TB, f *File) {
	tb.Helper()
	step := f.Vertices()/1000 + 1
	seen := make(map[uint64]bool)
	for index := uint64(0); index < f.Vertices(); index += step {
		id := f.ID(index)
		require.False(tb, seen[id], "two vertices have id %d", id)
		seen[id] = true
		back, known := f.Index(id)
		require.True(tb, known)
		require.Equal(tb, index, back)
	}
	require.Panics(tb, func() { f.ID(f.Vertices()) })
}

func BenchmarkRead(b *testing.B) {
	for _, g := range realGraphs {
		b.Run(g.file, func(b *testing.B) {
			path := dataFile(b, g.file)
			var sum uint64
			batch := make([]Edge, 1024)
			for b.Loop() {
				f, err := Open(path)
				require.NoError(b, err)
				for n := 0; err == nil; n, err = f.Edges(batch) {
					for _, e := range batch[:n] {
						sum += e.From ^ e.To
					}
				}
				require.NoError(b, f.Close())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(g.edges), "ns/edge")
			b.Logf("checksum %x over %d rounds", sum, b.N)
		})
	}
}
