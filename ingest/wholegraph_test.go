package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// placedEdge is an edge and its place.
type placedEdge struct {
	place uint64
	edge  Edge
}

// openGraph reads a graph by ranks, twice, and returns its edges in the order of their places.
func openGraph(t testing.TB, ranks int, format EdgeFormat, patterns []string, opts ...Option) (*Graph, []Edge, error) {
	t.Helper()
	var lock sync.Mutex
	var all []placedEdge
	graphs, errs := make([]*Graph, ranks), make([]error, ranks)
	err := pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g, err := OpenGraph(r, patterns, Edges(format), nil, opts...)
		if graphs[r.ID()], errs[r.ID()] = g, err; err != nil {
			return nil
		}
		lock.Lock()
		defer lock.Unlock()
		n := uint64(0)
		for place, e := range g.All() {
			all = append(all, placedEdge{place, e})
			n++
		}
		if n != g.Share() {
			return fmt.Errorf("rank %d has %d edges, not %d", r.ID(), n, g.Share())
		}
		return g.Err()
	})
	require.NoError(t, err)
	for _, err := range errs {
		require.Equal(t, fmt.Sprint(errs[0]), fmt.Sprint(err), "the same error on all ranks")
		require.Equal(t, errors.Is(errs[0], ErrUnweighted), errors.Is(err, ErrUnweighted))
	}
	slices.SortFunc(all, func(a, b placedEdge) int { return int(a.place) - int(b.place) })
	edges := make([]Edge, len(all))
	for i, p := range all {
		require.EqualValues(t, i, p.place)
		edges[i] = p.edge
	}
	if errs[0] == nil {
		require.EqualValues(t, len(edges), graphs[0].Edges)
	}
	return graphs[0], edges, errs[0]
}

// readGraph reads a text as a graph, on one rank and on three, plain and compressed.
func readGraph(t testing.TB, name, text string, opts ...Option) (g *Graph, edges []Edge, err error) {
	t.Helper()
	g, edges, err = openGraph(t, 1, AutoFormat, []string{write(t, name, []byte(text))}, opts...)
	for _, content := range [][]byte{[]byte(text), zstdFrames(t, []byte(text), 7)} {
		_, same, failed := openGraph(t, 3, AutoFormat, []string{write(t, name, content)}, opts...)
		require.Equal(t, err == nil, failed == nil, "%v %v", err, failed)
		require.Equal(t, edges, same)
	}
	return g, edges, err
}

// small is the graph of most files in testdata.
var small = []Edge{{1, 2, 1}, {1, 2, 1}, {3, 2, 1}, {3, 1, 1}, {5, 5, 1}, {6, 5, 1}}

var goodFiles = []struct {
	file     string
	directed bool
	vertices uint64 // from the header
	edges    []Edge
}{
	{"small.el", true, 6, []Edge{{0, 1, 1}, {0, 1, 1}, {2, 1, 1}, {2, 0, 1}, {5, 5, 1}, {5, 4, 1}}},
	{"sparse.txt", true, 0, []Edge{{1<<64 - 1, 1000000007, 1}, {1000000007, 3, 1}, {3, 1<<64 - 1, 1}}},
	{"small.gr", false, 6, small},
	{"general.mtx", true, 6, small},
	{"symmetric.mtx", false, 6, small},
	{"hermitian.mtx", false, 6, small},
	{"skew.mtx", false, 3, []Edge{{2, 1, 1}, {3, 2, 1}}},
	{"small.graph", false, 6, small},
	{"looptwice.graph", false, 6, small},
	{"edgeweights.graph", false, 6, small},
	{"vertexweights.graph", false, 6, small},
	{"allweights.graph", false, 6, small},
}

// ordered puts the ends of undirected edges in order.
func ordered(edges []Edge, directed bool) []Edge {
	sorted := slices.Clone(edges)
	for i, e := range sorted {
		if !directed {
			sorted[i] = Edge{min(e.From, e.To), max(e.From, e.To), e.Weight}
		}
	}
	return sorted
}

// Every format gives the edges of its file, each once, for any number of ranks and every compression.
func TestGraphs(t *testing.T) {
	for _, want := range goodFiles {
		t.Run(want.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", want.file))
			require.NoError(t, err)
			packed := [][]byte{text, gzipped1(t, text), zstdFrames(t, text, 5), bgzf(t, text, 9)}
			for _, content := range packed {
				path := write(t, want.file, content)
				for _, ranks := range []int{1, 2, 4, 7} {
					g, edges, err := openGraph(t, ranks, AutoFormat, []string{path})
					require.NoError(t, err)
					require.Equal(t, want.directed, g.Directed)
					require.Equal(t, want.vertices, g.Vertices)
					require.Equal(t, !strings.HasSuffix(want.file, ".el") && want.file != "sparse.txt", g.Numbered)
					require.ElementsMatch(t, ordered(want.edges, want.directed), ordered(edges, want.directed))
				}
			}
		})
	}
}

// damagedFiles has the error for each file of testdata/damaged.
var damagedFiles = map[string]string{
	"empty.el":            "the file is empty",
	"fewer.el":            "the header has 3 edges, the file ends after 2",
	"more.el":             "the header has 1 edges, the file has 2",
	"nodes.el":            "", // the application counts vertices
	"midline.el":          "line 3: the line ends early; expected a vertex",
	"header.el":           "line 1: the header has 99999999999999999999 nodes",
	"huge.el":             "line 1: the header has 1000000000000000000 nodes",
	"overflow.el":         "line 2: the vertex",
	"negative.el":         `line 2: found "-`,
	"onecolumn.el":        "line 2: the line ends early; expected a vertex",
	"threecolumns.el":     "", // weights
	"noedge.el":           "the file has no edge",
	"comma.csv":           "line 1: neither the file's name nor its first line shows the format",
	"comma.txt":           "expected a vertex and a blank: let the name of a CSV file end with .csv",
	"letter.txt":          "line 2: found",
	"picture.el":          "binary data",
	"prose.doc":           "neither the file's name nor its first line",
	"packed.zst":          "decompress",
	"above.gr":            "line 3: vertex 4 is out of range: the header has vertices 1 to 3",
	"zero.gr":             "line 2: vertex 0 is out of range: the header has vertices 1 to 3",
	"fewer.gr":            "the header has 2 edges, the file ends after 1: it is truncated; fetch it again",
	"more.gr":             "the header has 1 edges, the file has 2",
	"dimacs.gr":           `line 1: found "p max`,
	"noheader.gr":         "the file ends before the header",
	"huge.gr":             "line 1: the header has 281474976710657 vertices",
	"short.gr":            "line 1: the header: the line ends early",
	"array.mtx":           "line 1: the matrix is in \"array\" form; expected",
	"oblong.mtx":          "line 2: the matrix has 2 rows and 3 columns; expected a square matrix",
	"novalue.mtx":         "line 4: the line ends early; expected a weight",
	"midvalue.mtx":        `line 4: found "1e-"`,
	"word.mtx":            "line 4: found",
	"above.mtx":           "line 4: vertex 4 is out of range",
	"fewer.mtx":           "the header has 3 edges, the file ends after 2",
	"more.mtx":            "the header has 1 edges, the file has 2",
	"field.mtx":           `line 1: unknown field "quaternion"`,
	"symmetry.mtx":        `line 1: unknown symmetry "crooked"`,
	"bothsides.mtx":       "entries are on both sides of the diagonal",
	"diagonal.mtx":        "line 3: entry (2,2) is on the diagonal",
	"nosizes.mtx":         "the file ends before the header",
	"letter.graph":        "line 1: the header",
	"fewerrows.graph":     "the header has 3 vertices, the file ends after 2 rows",
	"morerows.graph":      "line 5: row 4 is one too many",
	"feweredges.graph":    "the header has 3 edges, the file ends after 2",
	"moreedges.graph":     "the header has 1 edges, the file has 2",
	"oneend.graph":        "the rows of two vertices disagree",
	"crooked.graph":       "the rows of two vertices disagree",
	"crookedtwice.graph":  "(2 entries lead to larger vertices, 2 to smaller ones)",
	"above.graph":         "line 2: vertex 3 is out of range: the header has vertices 1 to 2",
	"zero.graph":          "line 2: vertex 0 is out of range: the header has vertices 1 to 2",
	"fmt.graph":           "line 1: the weight format in the header is 12",
	"noweight.graph":      "line 3: the line ends early; expected a weight",
	"norowweight.graph":   "line 3: the weight or size of a vertex: the line ends early",
	"oddloop.graph":       "vertex 1 has an odd number of entries for self-loops",
	"noheader.graph":      "the file ends before the header",
	"manyweights.graph":   "line 2: the weight or size of a vertex: the line ends early",
	"weightoverflow.mtx":  `found "9"; expected the end of the line`,
	"headercolumns.graph": "line 1: expected the header",
}

func TestDamagedGraphs(t *testing.T) {
	files, err := os.ReadDir(filepath.Join("testdata", "damaged"))
	require.NoError(t, err)
	require.Len(t, files, len(damagedFiles))
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			want, known := damagedFiles[file.Name()]
			require.True(t, known)
			path := filepath.Join("testdata", "damaged", file.Name())
			for _, ranks := range []int{1, 3} {
				_, _, err := openGraph(t, ranks, AutoFormat, []string{path})
				if want == "" {
					require.NoError(t, err)
					continue
				}
				require.ErrorContains(t, err, want)
				require.ErrorContains(t, err, path)
			}
		})
	}
}

// A file with its size in the header, truncated at any byte except the last line end, is an error.
func TestGraphCutAnywhere(t *testing.T) {
	for _, good := range goodFiles {
		if good.file == "sparse.txt" {
			continue // has no size
		}
		whole, err := os.ReadFile(filepath.Join("testdata", good.file))
		require.NoError(t, err)
		text := bytes.TrimRight(whole, "\n")
		_, _, err = openGraph(t, 1, AutoFormat, []string{write(t, good.file, text)})
		require.NoError(t, err, "a missing final end of line is no damage")
		for cut := range len(text) {
			_, _, err = openGraph(t, 1, AutoFormat, []string{write(t, good.file, text[:cut])})
			require.Error(t, err, "%s cut after %q", good.file, text[:cut])
		}
	}
}

// A flipped bit in a compressed file is reported as damage, not as a mistake in the graph. Only the few bits that pad
// the last byte of the data may go unnoticed.
func TestGraphPackedDamagedAnywhere(t *testing.T) {
	packed := gzipped1(t, bytes.Repeat([]byte("18 1844674\n"), 100))
	unnoticed := 0
	for bit := 10 * 8; bit < len(packed)*8; bit++ {
		bad := bytes.Clone(packed)
		bad[bit/8] ^= 1 << (bit % 8)
		if _, _, err := openGraph(t, 1, AutoFormat, []string{write(t, "g.el", bad)}); err == nil {
			unnoticed++
		} else {
			require.ErrorContains(t, err, "decompress", "bit %d", bit)
		}
	}
	require.Less(t, unnoticed, 8)
	for cut := 10; cut < len(packed); cut++ {
		_, _, err := openGraph(t, 1, AutoFormat, []string{write(t, "g.el", packed[:cut])})
		require.ErrorContains(t, err, "decompress", "cut at %d of %d", cut, len(packed))
	}
	_, _, err := openGraph(t, 1, AutoFormat, []string{write(t, "g.el", gzipped1(t, []byte("1 2\nwrong\n")))})
	require.ErrorContains(t, err, "line 2")
	require.NotContains(t, err.Error(), "decompress", "it is whole, and no graph")
}

func TestEdgeFormats(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          EdgeFormat
	}{
		{"g.el", "0 1\n", EdgeList}, {"g.TXT", "0 1\n", EdgeList}, {"g.el.gz", "0 1\n", EdgeList},
		{"g.graph", "2 1\n2\n1\n", METIS}, {"g.metis.zst", "2 1\n2\n1\n", METIS},
		{"g.gr", "c hello\np tw 2 0\n", PACE},
		{"g.txt", "p tw 2 0\n", PACE}, {"g", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", MatrixMarket},
		{"g", "# comment\n0 1\n", EdgeList}, {"g", "0 1\n", EdgeList}, {"g", "p tw 1 0\n", PACE},
		{"g", "c x\np tw 1 0\n", PACE}, {"g", "2 1 0\n2\n1\n", METIS}, {"g.dat", "% comment\n2 1\n2\n1\n", METIS},
	} {
		format, err := detectFormat(c.name, []byte(c.content))
		require.NoError(t, err, c)
		require.Equal(t, c.want, format, c)
		_, _, err = openGraph(t, 2, AutoFormat, []string{write(t, c.name, []byte(c.content))})
		require.NoError(t, err, c)
	}
	_, edges, err := openGraph(t, 2, METIS, []string{write(t, "g.el", []byte("2 1\n2\n1\n"))})
	require.NoError(t, err)
	require.Equal(t, []Edge{{1, 2, 1}}, edges)
	for format := AutoFormat; format <= METIS; format++ {
		back, err := ParseEdgeFormat(strings.ToUpper(format.String()))
		require.NoError(t, err)
		require.Equal(t, format, back)
	}
	_, err = ParseEdgeFormat("dot")
	require.ErrorContains(t, err, "matrixmarket")
}

// Several files are one graph if they are of one kind.
func TestGraphOfSeveralFiles(t *testing.T) {
	folder := t.TempDir()
	add := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	add("a.el", "# Nodes: 3 Edges: 2\n1 2\n2 3\n")
	add("b.el", "5 1\n")
	pattern := filepath.Join(folder, "*.el")
	for _, ranks := range []int{1, 4} {
		g, edges, err := openGraph(t, ranks, AutoFormat, []string{pattern})
		require.NoError(t, err)
		require.Equal(t, []Edge{{1, 2, 1}, {2, 3, 1}, {5, 1, 1}}, edges)
		require.Zero(t, g.Vertices)
	}
	add("b.el", "# Nodes: 3 Edges: 2\n1 2\n")
	_, _, err := openGraph(t, 2, AutoFormat, []string{pattern})
	require.ErrorContains(t, err, "b.el: the header has 2 edges, the file ends after 1")
	a, b := write(t, "a.gr", []byte("p tw 3 1\n1 2\n")), write(t, "b.gr", []byte("p sp 5 1\na 4 5 1\n"))
	_, _, err = openGraph(t, 2, AutoFormat, []string{a, b})
	require.ErrorContains(t, err, "b.gr: the graph is directed, with numbered vertices, and that of "+a)
}

func TestGraphsWithWeights(t *testing.T) {
	for text, want := range map[string]bool{
		"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n":      false,
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3.5\n":     true,
		"%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 -3\n": true,
		"p tw 2 1\n1 2\n":            false,
		"# an edge list\n1 2\n":      false,
		"# an edge list\n1 2 -1\n":   true,
		"% rows\n2 1\n2\n1\n":        false,
		"% rows\n2 1 1\n2 7\n1 7\n":  true,
		"% rows\n2 1 10\n7 2\n7 1\n": true,
	} {
		g, edges, err := readGraph(t, "g", text)
		require.NoError(t, err, text)
		require.Equal(t, want, g.Weighted, text)
		require.Equal(t, 1.0, edges[0].Weight)
	}
	for name, c := range map[string]struct {
		text     string
		directed bool
		edges    []Edge
	}{
		"snap.el":   {"# some\n5 7 0.5\n7 5 1e3\n", true, []Edge{{5, 7, 0.5}, {7, 5, 1000}}},
		"pace.gr":   {"p tw 3 2\n1 2 4\n2 3 0\n", false, []Edge{{1, 2, 4}, {2, 3, 0}}},
		"dimacs.gr": {"c roads\np sp 3 2\na 1 2 803\na 2 1 158\n", true, []Edge{{1, 2, 803}, {2, 1, 158}}},
		"m.mtx": {"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5D1\n3 3 -0\n", false,
			[]Edge{{2, 1, 15}, {3, 3, 0}}},
		"i.mtx":        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 +9\n", true, []Edge{{1, 2, 9}}},
		"m.graph":      {"3 2 1\n2 7\n1 7 3 2\n2 2\n", false, []Edge{{1, 2, 7}, {2, 3, 2}}},
		"loops.graph":  {"1 2 1\n1 7 1 8\n", false, []Edge{{1, 1, 7}, {1, 1, 8}}},
		"twice.graph":  {"1 2 1\n1 7 1 8 1 7 1 8\n", false, []Edge{{1, 1, 7}, {1, 1, 8}}},
		"vertex.graph": {"2 1 11\n5 2 7\n6 1 7\n", false, []Edge{{1, 2, 7}}},
	} {
		g, edges, err := readGraph(t, name, c.text, Weights())
		require.NoError(t, err, name)
		require.Equal(t, c.edges, edges, name)
		require.Equal(t, c.directed, g.Directed, name)
		require.True(t, g.Weighted, name)
	}
}

func TestBadWeights(t *testing.T) {
	for text, c := range map[string]struct {
		name       string
		unweighted bool
		says       string
	}{
		"1 2\n":             {"a.el", true, "line 1: the edge has no weight"},
		"1 2 -1\n":          {"a.el", false, "line 1: the weight -1 is out of range: expected a finite number of 0 or more"},
		"1 2 NaN\n":         {"a.el", false, `found "NaN"`},
		"1 2 inf\n":         {"a.el", false, "the weight +Inf is out of range"},
		"1 2 1e999\n":       {"a.el", false, `the weight "1e999" does not fit in a float64`},
		"1 2 0x10\n":        {"a.el", false, `found "0x10"; expected a weight`},
		"1 2 1_0\n":         {"a.el", false, `found "1_0"`},
		"1 2 heavy\n":       {"a.el", false, `found "heavy"`},
		"1 2 3 4\n":         {"a.el", false, "expected the end of the line"},
		"p sp 2 1\n1 2 3\n": {"a.gr", false, `line 2: found "1 2 3"; expected an arc "a FROM TO WEIGHT"`},
		"p sp 2 1\na 1 2\n": {"a.gr", false, "the line ends early; expected a weight"},
		"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n":     {"a.mtx", true, "line 3"},
		"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3 4\n": {"a.mtx", true, "complex"},
		"2 1\n2\n1\n":                {"a.graph", true, "line 2: the edge has no weight"},
		"2 1 10\n5 2\n6 1\n":         {"a.graph", true, "the edge has no weight"},
		"2 1 1\n2 7\n1 8\n":          {"a.graph", false, "disagree on an edge or on its weight"},
		"3 2 1\n2 7 3 8\n1 8\n1 7\n": {"a.graph", false, "disagree on an edge or on its weight"},
	} {
		_, _, err := readGraph(t, c.name, text, Weights())
		require.Equal(t, c.unweighted, errors.Is(err, ErrUnweighted), text)
		require.ErrorContains(t, err, c.says, text)
	}
}

// A row of a METIS file may be longer than records of other formats.
func TestLongRow(t *testing.T) {
	const leaves = 100_000
	var star strings.Builder
	fmt.Fprintf(&star, "%d %d\n%s", leaves+1, leaves, strings.Repeat(" ", rowLimitDefault))
	for leaf := 2; leaf <= leaves+1; leaf++ {
		fmt.Fprintf(&star, " %d", leaf)
	}
	star.WriteString("\n" + strings.Repeat("1\n", leaves))
	_, edges, err := openGraph(t, 2, AutoFormat, []string{write(t, "star.graph", []byte(star.String()))})
	require.NoError(t, err)
	require.Len(t, edges, leaves)
	require.Equal(t, Edge{1, leaves + 1, 1}, edges[leaves-1])
}

// FuzzGraph reads any content, whole and cut in two: it terminates without a panic, with the same edges or error.
func FuzzGraph(f *testing.F) {
	for _, folder := range []string{"testdata", filepath.Join("testdata", "damaged")} {
		files, err := filepath.Glob(filepath.Join(folder, "*.*"))
		require.NoError(f, err)
		for i, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(content, uint8(i), uint16(7*i))
		}
	}
	f.Fuzz(func(t *testing.T, content []byte, format uint8, at uint16) {
		of := EdgeFormat(int(format) % len(formatNames))
		path := write(t, "data", content)
		g, edges, failed := openGraph(t, 1, of, []string{path})
		_, cut, err := openGraph(t, 1, of, []string{path}, once(int64(at)))
		require.Equal(t, fmt.Sprint(failed), fmt.Sprint(err), "the same error wherever the file is cut")
		require.Equal(t, edges, cut)
		for _, e := range edges {
			require.True(t, !g.Numbered || max(e.From, e.To) <= g.Vertices && min(e.From, e.To) > 0)
		}
	})
}
