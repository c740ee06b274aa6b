package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/graph"
)

func TestMETIS(t *testing.T) {
	for _, c := range []struct {
		content string
		want    []string
	}{
		{"2 1\n2\n1\n", []string{"{1 2 1}", "{2 1 1}"}},
		{"4 1\n\n3\n2\n\n", []string{"{2 3 1}", "{3 2 1}"}},
		{"3 1\n3\n\n1", []string{"{1 3 1}", "{3 1 1}"}},
		{"\xef\xbb\xbf%a\n\n  \n % b\n2 1 \r\n%c\n 2\t\r\n%d\n%e\n1\r\n\n\n%", []string{"{1 2 1}", "{2 1 1}"}},
		{"2 1 1\n2 0.5\n1 0.5\n", []string{"{1 2 0.5}", "{2 1 0.5}"}},
		{"2 1 001\n2 7\n1 7\n", []string{"{1 2 7}", "{2 1 7}"}},
		{"2 1 010\n9 2\n8 1\n", []string{"{1 2 1}", "{2 1 1}"}},
		{"2 1 11 3\n9 9 9 2 5\n8 8 8 1 5\n", []string{"{1 2 5}", "{2 1 5}"}},
		{"2 1 111 2\n1 9 9 2 5\n1 8 8 1 5\n", []string{"{1 2 5}", "{2 1 5}"}},
		{"1 1\n1 1\n", []string{"{1 1 1}", "{1 1 1}"}},
		{"0 0\n", nil},
	} {
		t.Run(fmt.Sprintf("%q", c.content), func(t *testing.T) {
			twin(t, []byte(c.content), Edges(METIS), edge, c.want)
			twin(t, zstdFrames(t, []byte(c.content), 3), Edges(METIS), edge, c.want)
		})
	}
}

func TestMETISMistakes(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"", "data: the file is empty, where the header of a METIS file is wanted"},
		{"%\n\n", "data: the file ends before the header VERTICES EDGES"},
		{"%\n5\n", "line 2: the header of a METIS file is wanted, VERTICES EDGES [FORMAT [WEIGHTS]]"},
		{"1 2 3 4 5\n", "line 1: the header of a METIS file is wanted"},
		{"a b\n", `line 1: the header of a METIS file, VERTICES EDGES [FORMAT [WEIGHTS]]: found "a b"`},
		{"2 1 2\n", "line 1: the header says the format of weights 2, where three digits 0 or 1 are wanted"},
		{"2 1 10 9999999999\n", "line 1: the header says 9999999999 weights a vertex"},
		{"3 1\n2\n1\n", "data: the header tells 3 vertices, but the file ends after 2 rows: it is cut short"},
		{"2 1\n2\n%\n1 3\n", "line 4: vertex 3 is not one of 1 to 2, which the header tells"},
		{"2 1\n2\n0\n", "line 3: vertex 0 is not one of 1 to 2"},
		{"2 1\n2\n-1\n", `line 3: found "-1" where a vertex`},
		{"2 1\n2\n1\n\n2\n", "line 5: found a row for vertex 4, but the header tells 2 vertices"},
		{"2 1 1\n2\n1 1\n", `line 2: found "" where a weight is wanted`},
		{"2 1 1\n2 NaN\n1 1\n", `line 2: found "NaN" where a weight is wanted`},
		{"2 1 10\n\n1 1\n", `line 2: the weight or size of a vertex: found ""`},
		{"2 1\n2 1.5\n1\n", `line 2: found "1.5" where a vertex and a blank are wanted`},
		{"2 1\n" + strings.Repeat("2 ", 600) + "\n1\n", "line 2: the record is longer than the limit"},
		{strings.Repeat("2 ", 600) + "\n1\n", "line 1: the record is longer than the limit"},
	} {
		for _, ranks := range []int{1, 3} {
			_, err := ingest(ranks, Edges(METIS), edge, []string{write(t, "data", []byte(c.content))}, RowLimit(1000))
			require.ErrorContains(t, err, c.want, "%.30q, %d ranks", c.content, ranks)
		}
	}
}

// A row that cannot be read gives none of its edges, and those behind it keep their vertices.
func TestMETISSkip(t *testing.T) {
	path := write(t, "data", []byte("4 3\n2\n1 x\n"+strings.Repeat("4 ", 600)+"\n3\n"))
	for ranks := range 5 {
		o, err := ingest(ranks+1, Edges(METIS), edge, []string{path}, RowLimit(1000), Skip(2))
		require.NoError(t, err)
		require.Equal(t, []string{"{1 2 1}", "{4 3 1}"}, o.all())
		require.Equal(t, int64(2), o.report.Skipped)
		_, err = ingest(ranks+1, Edges(METIS), edge, []string{path}, RowLimit(1000), Skip(1))
		require.ErrorContains(t, err, "data: line ")
	}
	damaged := write(t, "data", []byte("4 x\n2\n"))
	_, err := ingest(2, Edges(METIS), edge, []string{damaged}, Skip(9))
	require.ErrorContains(t, err, `line 1: the header of a METIS file`)
}

// metisText writes a graph at random as METIS files have it, with comments and all kinds of weights.
func metisText(r *rand.Rand, vertices int) string {
	rows, edges := make([]string, vertices), 0
	for range 3 * vertices {
		if a, b := r.IntN(vertices), r.IntN(vertices); a != b {
			weight := r.IntN(9)
			rows[a] += fmt.Sprintf(" %d %d", b+1, weight)
			rows[b] += fmt.Sprintf(" %d %d", a+1, weight)
			edges++
		}
	}
	text := fmt.Sprintf("%% header\n%d %d 011 2\n", vertices, edges)
	for i, row := range rows {
		if r.IntN(5) == 0 {
			text += "% comment 1 2 3\n"
		}
		text += fmt.Sprintf("%d %d%s\n", i, r.IntN(9), row)
	}
	return text
}

// metisByGraph is what package graph, which reads files by one process, reads.
func metisByGraph(t *testing.T, path string, opts ...graph.Option) (all map[Edge]int) {
	f, err := graph.Open(path, append(opts, graph.WithFormat(graph.METIS))...)
	require.NoError(t, err)
	defer f.Close()
	all = map[Edge]int{}
	edges, weights := make([]graph.Edge, 100), make([]float64, 100)
	for {
		n := 0
		if len(opts) > 0 {
			n, err = f.WeightedEdges(edges, weights)
		} else {
			n, err = f.Edges(edges)
		}
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		for i, e := range edges[:n] {
			if len(opts) == 0 {
				weights[i] = 1
			}
			all[Edge{f.ID(e.From), f.ID(e.To), weights[i]}]++
		}
	}
}

// bothOnce are the edges from the smaller vertex to the larger one, of which there are as many the other way.
func bothOnce(t *testing.T, edges []Edge) map[Edge]int {
	up, down := map[Edge]int{}, map[Edge]int{}
	for _, e := range edges {
		if e.From < e.To {
			up[e]++
		} else {
			down[Edge{e.To, e.From, e.Weight}]++
		}
	}
	require.Equal(t, up, down)
	return up
}

// Rows are of the vertices that package graph says, however many ranks count lines.
func TestMETISIsThatOfGraph(t *testing.T) {
	text := metisText(random(t), 300)
	for name, content := range map[string][]byte{"plain": []byte(text), "zstd": zstdFrames(t, []byte(text), 100),
		"bgzf": bgzf(t, []byte(text), 100), "gzip": gzipped1(t, []byte(text))} {
		path := write(t, name+".graph", content)
		want := metisByGraph(t, write(t, "a.graph", []byte(text)), graph.Weights())
		for _, ranks := range []int{1, 2, 4, 7} {
			o, err := ingest(ranks, Edges(METIS), func(e Edge) Edge { return e }, []string{path})
			require.NoError(t, err)
			require.Equal(t, want, bothOnce(t, o.all()), "%s, %d ranks", name, ranks)
		}
	}
}

// The file of astro-ph is read as package graph reads it, compressed as it is, and plain by ranks that count its lines.
func TestMETISOfAstroPh(t *testing.T) {
	folder := os.Getenv("PEBBLES_DATA")
	if folder == "" {
		t.Skip("PEBBLES_DATA names no folder of data")
	}
	path := filepath.Join(folder, "astro-ph.metis.graph.gz")
	packed, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the folder of data has no astro-ph.metis.graph.gz")
	}
	require.NoError(t, err)
	want := metisByGraph(t, path)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	for _, name := range []string{path, write(t, "plain", text), write(t, "bgzf", bgzf(t, text, 60_000))} {
		for _, ranks := range []int{1, 2, 7} {
			o, err := ingest(ranks, Edges(METIS), func(e Edge) Edge { return e }, []string{name})
			require.NoError(t, err)
			require.Len(t, o.all(), 2*121_251)
			require.Equal(t, want, bothOnce(t, o.all()), "%s, %d ranks", name, ranks)
		}
	}
}

func FuzzMETIS(f *testing.F) {
	f.Add([]byte("% a\n3 2 011 2\n1 1 2 5\n%\n1 1 1 5 3 6\n1 1 2 6\n"), uint16(9))
	f.Add([]byte("\n2 1\n2\n1"), uint16(4))
	f.Fuzz(func(t *testing.T, content []byte, at uint16) {
		if kind, err := kindOf(content); kind != plain || err != nil {
			return
		}
		path := write(t, "data", content)
		one, failed := ingest(1, Edges(METIS), edge, []string{path})
		cut, err := ingest(1, Edges(METIS), edge, []string{path}, once(int64(at)))
		require.Equal(t, fmt.Sprint(failed), fmt.Sprint(err), "the same error wherever the file is cut")
		if err == nil {
			require.Equal(t, one.all(), cut.all())
		}
	})
}

func BenchmarkMETIS(b *testing.B) {
	var text strings.Builder
	fmt.Fprintf(&text, "%d %d\n", 1<<18, 1<<22)
	for i := range uint64(1 << 18) {
		for j := range uint64(32) {
			fmt.Fprintf(&text, "%d ", 1+(i*7919+j*104729)%(1<<18))
		}
		text.WriteString("\n")
	}
	in := whole(b, write(b, "metis", []byte(text.String())))
	m := metis{input: in}
	h, err := m.header(0)
	require.NoError(b, err)
	m.headers, m.before = map[int]metisHeader{0: h}, map[piece]uint64{}
	p := piece{0, 0, in.files[0].Size}
	for name, pass := range map[string]func() error{
		"count": func() error { _, err := m.count(p); return err },
		"read":  func() error { return m.read(p, func(Edge) bool { return true }) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(p.to)
			for b.Loop() {
				require.NoError(b, pass())
			}
		})
	}
}
