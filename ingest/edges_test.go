package ingest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/graph"
)

func edge(e Edge) string { return fmt.Sprint(e) }

func TestEdges(t *testing.T) {
	for _, c := range []struct {
		format  EdgeFormat
		content string
		want    []string
	}{
		{EdgeList, "# a\n1\t2\n\n  3 4\r\n5 6 0.5\n18446744073709551615 0", []string{"{1 2 1}", "{3 4 1}", "{5 6 0.5}",
			"{18446744073709551615 0 1}"}},
		{EdgeList, "", nil}, {EdgeList, "# only\n", nil}, {EdgeList, "1 2 -1e3 \n", []string{"{1 2 -1000}"}},
		{DIMACS, "c a\np sp 3 2\na 1 2 7\na 2 3 1.5\n", []string{"{1 2 7}", "{2 3 1.5}"}},
		{MatrixMarket, "%%MatrixMarket matrix coordinate real general\n% a\n\n3 3 2\n1 2 0.5\n% b\n3 3 1\n",
			[]string{"{1 2 0.5}", "{3 3 1}"}},
		{MatrixMarket, "%%MatrixMarket matrix coordinate pattern symmetric\n9 9 1\n9 1", []string{"{9 1 1}"}},
		{MatrixMarket, "%%MatrixMarket matrix coordinate pattern general\n", nil},
	} {
		t.Run(fmt.Sprintf("%q", c.content), func(t *testing.T) {
			twin(t, []byte(c.content), Edges(c.format), edge, c.want)
			twin(t, zstdFrames(t, []byte(c.content), 3), Edges(c.format), edge, c.want)
		})
	}
}

// Edges are those that package graph reads.
func TestEdgesAreThoseOfGraph(t *testing.T) {
	r := random(t)
	text := "%%MatrixMarket matrix coordinate integer general\n%\n50 50 300\n"
	for range 300 {
		text += fmt.Sprintf("%d %d %d\n", 1+r.IntN(50), 1+r.IntN(50), r.IntN(9))
	}
	path := write(t, "a.mtx", []byte(text))
	f, err := graph.Open(path, graph.Weights())
	require.NoError(t, err)
	defer f.Close()
	edges, weights := make([]graph.Edge, 301), make([]float64, 301)
	n, err := f.WeightedEdges(edges, weights)
	require.NoError(t, err)
	require.Equal(t, 300, n)
	var want []Edge
	for i, e := range edges[:n] {
		want = append(want, Edge{f.ID(e.From), f.ID(e.To), weights[i]})
	}
	for _, ranks := range []int{1, 2, 4, 7} {
		o, err := ingest(ranks, Edges(MatrixMarket), func(e Edge) Edge { return e }, []string{path})
		require.NoError(t, err)
		require.Equal(t, want, o.all())
	}
}

func TestLinesThatAreNoEdges(t *testing.T) {
	for _, c := range []struct {
		format        EdgeFormat
		content, want string
	}{
		{EdgeList, "1 2\n1,2\n",
			`line 2: found "1,2" where a vertex and a blank are wanted; fields between commas are read by ingest.CSV`},
		{EdgeList, "1 2x\n", `found "2x"`}, {EdgeList, "1 2 3 4\n", `found "4" where the end of the line`},
		{EdgeList, "1 \x00\n", "found"},
		{EdgeList, "1 18446744073709551616\n", "does not fit in 64 bits"},
		{DIMACS, "p sp 1 1\n1 2\n", `line 2: found "1 2" where an arc is wanted: a FROM TO WEIGHT`},
		{DIMACS, "a\n", "an arc"},
		{MatrixMarket, "%%MatrixMarket matrix array real general\n",
			"where %%MatrixMarket matrix coordinate is wanted"},
		{METIS + 1, "1 2\n", "there is no format 4 of edges"},
	} {
		_, err := ingest(2, Edges(c.format), edge, []string{write(t, "data", []byte(c.content))})
		require.ErrorContains(t, err, c.want)
	}
}

func FuzzEdges(f *testing.F) {
	f.Add([]byte("1 2 3.5"), true)
	f.Add([]byte("a 1 2"), false)
	f.Fuzz(func(t *testing.T, line []byte, list bool) {
		parse := edgeOfDIMACS
		if list {
			parse = edgeOfList
		}
		e, ok, err := parse(line)
		if ok && err == nil && list {
			again, _, err := parse(fmt.Appendf(nil, "%d\t%d %g", e.From, e.To, e.Weight))
			require.NoError(t, err)
			require.Equal(t, e, again)
		}
	})
}

func BenchmarkEdges(b *testing.B) {
	var text []byte
	for i := range uint64(4 << 20) {
		text = fmt.Appendf(text, "%d\t%d\n", i*7919%1000003, i)
	}
	in := whole(b, write(b, "edges", text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		require.NoError(b, readOne(in, Edges(EdgeList)))
	}
}
