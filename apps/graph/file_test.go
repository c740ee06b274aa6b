package graph

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// small is the graph that most files of testdata hold.
var small = []Edge{{0, 1}, {0, 1}, {2, 1}, {2, 0}, {4, 4}, {5, 4}}

var goodFiles = []struct {
	file     string
	format   Format
	directed bool
	vertices uint64
	edges    []Edge // by the file's ids, less 1 where it counts from 1
}{
	{"small.el", EdgeList, true, 6, []Edge{{0, 1}, {0, 1}, {2, 1}, {2, 0}, {5, 5}, {5, 4}}},
	{"sparse.txt", EdgeList, true, 3, []Edge{{1<<64 - 1, 1000000007}, {1000000007, 3}, {3, 1<<64 - 1}}},
	{"small.gr", PACE, false, 6, small},
	{"general.mtx", MatrixMarket, true, 6, small},
	{"symmetric.mtx", MatrixMarket, false, 6, small},
	{"hermitian.mtx", MatrixMarket, false, 6, small},
	{"skew.mtx", MatrixMarket, false, 3, []Edge{{1, 0}, {2, 1}}},
	{"small.graph", METIS, false, 6, small},
	{"looptwice.graph", METIS, false, 6, small},
	{"edgeweights.graph", METIS, false, 6, small},
	{"vertexweights.graph", METIS, false, 6, small},
	{"allweights.graph", METIS, false, 6, small},
}

func TestFormats(t *testing.T) {
	for _, want := range goodFiles {
		t.Run(want.file, func(t *testing.T) {
			f, err := Open(filepath.Join("testdata", want.file))
			require.NoError(t, err)
			edges, err := ReadAll(f)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			require.Equal(t, want.format, f.Format())
			require.Equal(t, want.directed, f.Directed())
			require.Equal(t, want.vertices, f.Vertices())
			require.ElementsMatch(t, ordered(want.edges, want.directed), ordered(byID(f, edges), want.directed))
			checkNames(t, f)
			_, err = f.Edges(make([]Edge, 1))
			require.Equal(t, io.EOF, err, "the end stays the end")
		})
	}
}

// byID names edges as the file does, less 1 where it counts from 1.
func byID(f *File, edges []Edge) []Edge {
	first := uint64(1)
	if f.Format() == EdgeList {
		first = 0
	}
	named := make([]Edge, len(edges))
	for i, e := range edges {
		named[i] = Edge{f.ID(e.From) - first, f.ID(e.To) - first}
	}
	return named
}

// ordered puts the ends of undirected edges in order.
func ordered(edges []Edge, directed bool) []Edge {
	sorted := make([]Edge, len(edges))
	for i, e := range edges {
		sorted[i] = e
		if !directed {
			sorted[i] = Edge{min(e.From, e.To), max(e.From, e.To)}
		}
	}
	return sorted
}

// TestBatchesAgree: the edges do not depend on the caller's batch, nor on how the source hands out its bytes.
func TestBatchesAgree(t *testing.T) {
	for _, want := range goodFiles {
		whole, err := os.ReadFile(filepath.Join("testdata", want.file))
		require.NoError(t, err)
		var first []Edge
		for batch := 1; batch < 8; batch++ {
			f, err := Read(oneByte{strings.NewReader(string(whole))}, want.file)
			require.NoError(t, err)
			var edges []Edge
			buf := make([]Edge, batch)
			n := 0
			for ; err == nil; n, err = f.Edges(buf) {
				edges = append(edges, buf[:n]...)
			}
			require.Equal(t, io.EOF, err)
			if first == nil {
				first = edges
			}
			require.Equal(t, first, edges)
		}
	}
}

// oneByte hands out one byte at a time, and now and then none.
type oneByte struct{ io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:min(1, len(p))]) }

// stalled gives nothing, for ever.
type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, nil }

func TestStalledSource(t *testing.T) {
	_, err := Read(stalled{}, "pipe.el")
	require.ErrorIs(t, err, io.ErrNoProgress)
	_, err = Read(io.MultiReader(strings.NewReader("0 1\n1 2\n"), stalled{}), "pipe.el")
	require.NoError(t, err, "the header can be read")
}

func TestDetection(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          Format
	}{
		{"g.el", "0 1\n", EdgeList}, {"g.TXT", "0 1\n", EdgeList}, {"g.el.gz", "0 1\n", EdgeList},
		{"g.graph", "2 1\n2\n1\n", METIS}, {"g.metis", "2 1\n2\n1\n", METIS},
		{"g.gr", "c hello\np tw 2 0\n", PACE},
		{"g.txt", "p tw 2 0\n", PACE}, {"g", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", MatrixMarket},
		{"g", "# comment\n0 1\n", EdgeList}, {"g", "0 1\n", EdgeList}, {"g", "p tw 1 0\n", PACE}, {"g", "c x\np tw 1 0\n", PACE},
		{"g", "2 1 0\n2\n1\n", METIS}, {"g.dat", "% comment\n2 1\n2\n1\n", METIS},
	} {
		f, err := Read(strings.NewReader(c.content), c.name)
		require.NoError(t, err, c)
		require.Equal(t, c.want, f.Format(), c)
	}
}

func TestForcedFormat(t *testing.T) {
	const twoNumbers = "2 1\n2\n1\n"
	f, err := Read(strings.NewReader(twoNumbers), "g.el", WithFormat(METIS))
	require.NoError(t, err)
	edges, err := ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, []Edge{{0, 1}}, edges)
	_, err = Read(strings.NewReader(twoNumbers), "g.el", WithFormat(Format(99)))
	require.ErrorContains(t, err, "Format(99)")

	for _, format := range []Format{Auto, EdgeList, PACE, MatrixMarket, METIS} {
		back, err := ParseFormat(format.String())
		require.NoError(t, err)
		require.Equal(t, format, back)
	}
	_, err = ParseFormat("dot")
	require.ErrorContains(t, err, "matrixmarket")
}

func TestOpenErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.el")
	_, err := Open(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, missing)
	require.ErrorContains(t, err, "check the path")
	_, err = Open("testdata")
	require.ErrorContains(t, err, "directory")
}

func TestCallerBugs(t *testing.T) {
	f, err := Open(filepath.Join("testdata", "small.gr"))
	require.NoError(t, err)
	require.PanicsWithValue(t, "graph: Edges needs room for an edge", func() { _, _ = f.Edges(nil) })
	require.NoError(t, f.Close())
	_, err = f.Edges(make([]Edge, 1))
	require.ErrorIs(t, err, fs.ErrClosed)
}

// TestIsolatedVertices: vertices that only the header counts get indices and ids like all others, at no cost.
func TestIsolatedVertices(t *testing.T) {
	f, err := Read(strings.NewReader("# Nodes: 1000000000000 Edges: 2\n7 3\n3 999\n"), "g.el")
	require.NoError(t, err)
	_, err = ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, uint64(1e12), f.Vertices())
	for index, id := range map[uint64]uint64{0: 7, 1: 3, 2: 999, 3: 0, 5: 2, 6: 4, 8: 6, 9: 8, 1e12 - 1: 1e12 - 1} {
		require.Equal(t, id, f.ID(index))
		back, known := f.Index(id)
		require.True(t, known)
		require.Equal(t, index, back)
	}
	_, known := f.Index(1e12)
	require.False(t, known)
	_, err = f.Edges(make([]Edge, 1))
	require.Equal(t, io.EOF, err)
}

func pack(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(text)
	require.NoError(tb, err)
	require.NoError(tb, z.Close())
	return packed.Bytes()
}

// TestMagicDecides: names lie, first bytes do not.
func TestMagicDecides(t *testing.T) {
	plain := []byte("p tw 3 2\n1 2\n2 3\n")
	for _, name := range []string{"packed.gr", "packed.gr.gz", "packed"} {
		require.NoError(t, readText(string(pack(t, plain)), name))
		require.NoError(t, readText(string(plain), name))
	}
	members := append(pack(t, plain[:10]), pack(t, plain[10:])...)
	require.NoError(t, readText(string(members), "members.gr.gz"), "gzip files may be joined")
}

// TestGzipCutAnywhere cuts a compressed file at every byte.
func TestGzipCutAnywhere(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "sparse.txt")) // its text tells no size, so only gzip can
	require.NoError(t, err)
	packed := pack(t, whole)
	require.NoError(t, readText(string(packed), "sparse.txt.gz"))
	for cut := 2; cut < len(packed); cut++ {
		require.ErrorIs(t, readText(string(packed[:cut]), "sparse.txt.gz"), ErrTruncated, "cut at %d of %d", cut, len(packed))
	}
}

// TestGzipDamagedAnywhere flips each bit after the header of a compressed file. Only the few bits that fill up the last
// byte of the data may go unnoticed.
func TestGzipDamagedAnywhere(t *testing.T) {
	packed := pack(t, bytes.Repeat([]byte("18 1844674\n"), 100))
	require.NoError(t, readText(string(packed), "g.el"))
	unnoticed := 0
	for bit := 10 * 8; bit < len(packed)*8; bit++ {
		bad := bytes.Clone(packed)
		bad[bit/8] ^= 1 << (bit % 8)
		if err := readText(string(bad), "g.el"); err == nil {
			unnoticed++
		} else {
			require.ErrorContains(t, err, "the gzip data ", "bit %d: it is no mistake in the graph", bit)
		}
	}
	require.Less(t, unnoticed, 8)
	require.ErrorIs(t, readText(string(append(packed, "and more that is no gzip"...)), "g.el"), ErrDamaged)
	require.ErrorContains(t, readText(string(append(packed, "and more that is no gzip"...)), "g.el"), "the gzip data is damaged, fetch the file again")
	require.NotContains(t, readText(string(pack(t, []byte("1 2\nwrong\n"))), "g.el").Error(), "gzip", "it is whole, and no graph")
	require.ErrorIs(t, readText("\x1f\x8bnothing like gzip", "g.el"), ErrDamaged)
	require.ErrorContains(t, readText(string(pack(t, nil)), "g.el"), "the file is empty")
}

// One pass through a pipe is one through a file.
func TestPipesAreReadOnce(t *testing.T) {
	for _, good := range goodFiles {
		whole, err := os.ReadFile(filepath.Join("testdata", good.file))
		require.NoError(t, err)
		require.NoError(t, openPiped(t, good.file, whole), good.file)
		require.NoError(t, openPiped(t, good.file, pack(t, whole)), "%s, packed", good.file)
	}
}

func openPiped(t *testing.T, name string, text []byte) error {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	_, err = w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	format, err := Read(bytes.NewReader(text), name)
	require.NoError(t, err)
	f, err := Open(fmt.Sprintf("/dev/fd/%d", r.Fd()), WithFormat(format.Format()))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = ReadAll(f)
	return err
}

// A pipe that is to be read twice is refused before a byte of it is taken.
func TestPipesAreNotReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.el")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := Open(path, Again())
	require.ErrorContains(t, err, "open graph "+path+": is a pipe")
	_, err = Open("/dev/null", Again())
	require.ErrorContains(t, err, "is a device")
	_, err = Open("/dev/null")
	require.ErrorContains(t, err, "the file is empty")
}
