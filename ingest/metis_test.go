package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		{"", "data: the file is empty; expected the header of a METIS file"},
		{"%\n\n", "data: the file ends before the header \"VERTICES EDGES"},
		{"%\n5\n", "line 2: expected the header \"VERTICES EDGES [FORMAT [WEIGHTS]]\""},
		{"1 2 3 4 5\n", "line 1: expected the header"},
		{"a b\n", `line 1: the header "VERTICES EDGES [FORMAT [WEIGHTS]]": found "a b"`},
		{"2 1 2\n", "line 1: the weight format in the header is 2; expected three digits 0 or 1"},
		{"2 1 10 9999999999\n", "line 1: the header has 2 vertices with 9999999999 weights each"},
		{"3 1\n2\n1\n", "data: the header has 3 vertices, the file ends after 2 rows: it is truncated"},
		{"2 1\n2\n%\n1 3\n", "line 4: vertex 3 is out of range: the header has vertices 1 to 2"},
		{"2 1\n2\n0\n", "line 3: vertex 0 is out of range: the header has vertices 1 to 2"},
		{"2 1\n2\n-1\n", `line 3: found "-1"; expected a vertex`},
		{"2 1\n2\n1\n\n2\n", "line 5: row 4 is one too many: the header has 2 vertices"},
		{"2 1 1\n2\n1 1\n", "line 2: the line ends early; expected a weight"},
		{"2 1 1\n2 NaN\n1 1\n", `line 2: found "NaN"; expected a weight`},
		{"2 1 10\n\n1 1\n", "line 2: the weight or size of a vertex: the line ends early"},
		{"2 1\n2 1.5\n1\n", `line 2: found "1.5"; expected a vertex`},
		{"2 1\n" + strings.Repeat("2 ", 600) + "\n1\n", "line 2: the record is longer than the limit"},
		{strings.Repeat("2 ", 600) + "\n1\n", "line 1: the record is longer than the limit"},
	} {
		for _, ranks := range []int{1, 3} {
			_, err := ingest(ranks, Edges(METIS), edge, []string{write(t, "data", []byte(c.content))}, RowLimit(1000))
			require.ErrorContains(t, err, c.want, "%.30q, %d ranks", c.content, ranks)
		}
	}
}

// An unreadable row gives none of its edges, and the rows behind it keep their vertices.
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
	require.ErrorContains(t, err, `line 1: the header "VERTICES EDGES`)
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
