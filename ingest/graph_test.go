package ingest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
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
		{PACE, "c a\np sp 3 2\na 1 2 7\na 2 3 1.5\n", []string{"{1 2 7}", "{2 3 1.5}"}},
		{MatrixMarket, "%%MatrixMarket matrix coordinate real general\n% a\n\n3 3 2\n1 2 0.5\n% b\n3 3 1\n",
			[]string{"{1 2 0.5}", "{3 3 1}"}},
		{MatrixMarket, "%%MatrixMarket matrix coordinate pattern symmetric\n9 9 1\n9 1", []string{"{9 1 1}"}},
		{MatrixMarket, "%%MatrixMarket matrix coordinate complex general\n9 9 1\n9 1 3 4", []string{"{9 1 3}"}},
		{PACE, "p tw 3 2\n1 2\nc\n2 3 1.5\n", []string{"{1 2 1}", "{2 3 1.5}"}},
	} {
		t.Run(fmt.Sprintf("%q", c.content), func(t *testing.T) {
			twin(t, []byte(c.content), Edges(c.format), edge, c.want)
			twin(t, zstdFrames(t, []byte(c.content), 3), Edges(c.format), edge, c.want)
		})
	}
}

func TestLinesThatAreNoEdges(t *testing.T) {
	for _, c := range []struct {
		format        EdgeFormat
		content, want string
	}{
		{EdgeList, "1 2\n1,2\n", `line 2: found "1,2"; expected a vertex and a blank: let the name`},
		{EdgeList, "1 2x\n", `found "2x"`}, {EdgeList, "1 2 3 4\n", `found "4"; expected the end of the line`},
		{EdgeList, "1 \x00\n", "found"},
		{EdgeList, "1 18446744073709551616\n", "does not fit in 64 bits"},
		{PACE, "p sp 1 1\n1 2\n", `line 2: found "1 2"; expected an arc "a FROM TO WEIGHT"`},
		{PACE, "p sp 1 1\na\n", "expected an arc"},
		{AdjacencyList + 1, "1 2\n", "unknown format of edges EdgeFormat(6)"},
	} {
		_, err := ingest(2, Edges(c.format), edge, []string{write(t, "data", []byte(c.content))})
		require.ErrorContains(t, err, c.want)
	}
}

func BenchmarkEdges(b *testing.B) {
	var text []byte
	for i := range uint64(4 << 20) {
		text = fmt.Appendf(text, "%d\t%d\n", i*7919%1000003, i)
	}
	files := []string{write(b, "edges", text)}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		require.NoError(b, pebble.Run(b.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			in, err := Open(r, files, Edges(EdgeList))
			if err != nil {
				return err
			}
			for range in.All() {
			}
			return in.Err()
		}))
	}
}

// An adjacency list has an arc to each vertex after the first of a line, and may list vertices without arcs.
func TestAdjacency(t *testing.T) {
	const text = "# a\n1 2 3\r\n2\n\n 3\t1 1 \n18446744073709551615 0"
	want := []string{"{1 2 1}", "{1 3 1}", "{3 1 1}", "{3 1 1}", "{18446744073709551615 0 1}"}
	twin(t, []byte(text), Edges(AdjacencyList), edge, want)
	twin(t, zstdFrames(t, []byte(text), 3), Edges(AdjacencyList), edge, want)
	var alone []uint64
	_, err := ingest(1, Edges(AdjacencyList), edge, []string{write(t, "data", []byte(text))},
		Alone(func(v uint64) { alone = append(alone, v) }))
	require.NoError(t, err)
	require.Equal(t, []uint64{2}, alone)
	for _, c := range []struct{ content, want string }{
		{"1 2\n3 x 1\n", `line 2: found "x 1"; expected a vertex`}, {"1 -2\n", `line 1: found "-2"; expected a vertex`},
		{"1,2\n", "the name of a CSV file"}, {"1 2\n1 99999999999999999999\n", "line 2: the vertex"},
	} {
		for _, ranks := range []int{1, 3} {
			_, err := ingest(ranks, Edges(AdjacencyList), edge, []string{write(t, "data", []byte(c.content))})
			require.ErrorContains(t, err, c.want)
		}
	}
	o, err := ingest(3, Edges(AdjacencyList), edge, []string{write(t, "data", []byte("1 2\n3 1 x\n4 1\n"))}, Skip(1))
	require.NoError(t, err)
	require.Equal(t, []string{"{1 2 1}", "{4 1 1}"}, o.all(), "a bad line gives none of its arcs")
	g, edges, err := openGraph(t, 2, AutoFormat, []string{write(t, "some.adj", []byte("1 2\n5\n"))})
	require.NoError(t, err)
	require.True(t, g.Directed)
	require.Len(t, edges, 1)
	_, _, err = openGraph(t, 2, AdjacencyList, []string{write(t, "data", []byte("1 2\n"))}, Weights())
	require.ErrorIs(t, err, ErrUnweighted)
}

// A list of vertices has one in a line.
func TestVertices(t *testing.T) {
	number := func(v uint64) string { return fmt.Sprint(v) }
	const text = "# a\n1\n\n 2 \r\n%\n18446744073709551615"
	twin(t, []byte(text), Vertices(), number, []string{"1", "2", "18446744073709551615"})
	_, err := ingest(2, Vertices(), number, []string{write(t, "data", []byte("1\n2 0.5\n"))})
	require.ErrorContains(t, err, `line 2: found "0.5"; expected the end of the line`)
}
