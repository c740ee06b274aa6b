package graph

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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

// damagedFiles tells for each file of testdata/damaged what kind of error it is and what the error says.
var damagedFiles = map[string]struct {
	kind error
	says string
}{
	"empty.el":            {ErrSyntax, "the file is empty"},
	"fewer.el":            {ErrTruncated, "line 4: the header tells 3 edges, but the file ends after 2"},
	"more.el":             {ErrDamaged, "the header tells 1 edges, but there are more"},
	"nodes.el":            {ErrDamaged, "the header tells 2 nodes, but the edges name 3"},
	"midline.el":          {ErrTruncated, "line 3: the file ends where the second vertex of an edge is wanted"},
	"header.el":           {ErrRange, "line 1: the header tells 99999999999999999999 nodes"},
	"huge.el":             {ErrRange, "line 1: the header tells 1000000000000000000 nodes"},
	"overflow.el":         {ErrRange, "line 2: the second vertex of an edge does not fit in 64 bits"},
	"negative.el":         {ErrSyntax, "line 2: found '-' where the second vertex of an edge is wanted"},
	"onecolumn.el":        {ErrSyntax, "line 2: the line ends where the second vertex of an edge is wanted"},
	"threecolumns.el":     {ErrSyntax, "line 2: a third number follows the two vertices of an edge; weights are not supported here"},
	"noedge.el":           {ErrSyntax, "the file holds no edge"},
	"comma.csv":           {ErrSyntax, "line 1: neither the name nor the first line tells a graph format"},
	"comma.txt":           {ErrSyntax, "line 1: found ',' where a blank after the first vertex of an edge is wanted; fields are separated by TAB or spaces"},
	"letter.txt":          {ErrSyntax, "line 2: found 'x' where a blank after the first vertex"},
	"picture.el":          {ErrSyntax, "binary data"},
	"prose.doc":           {ErrSyntax, "neither the name nor the first line"},
	"packed.zst":          {ErrSyntax, "compressed by zstd"},
	"above.gr":            {ErrRange, "line 3: vertex 4 is not one of 1 to 3"},
	"zero.gr":             {ErrRange, "line 2: vertex 0 is not one of 1 to 3"},
	"fewer.gr":            {ErrTruncated, "the header tells 2 edges, but the file ends after 1"},
	"more.gr":             {ErrDamaged, "line 3: the header tells 1 edges, but there are more"},
	"dimacs.gr":           {ErrSyntax, "line 1: found \"p max\" where the header `p tw VERTICES EDGES` is wanted"},
	"noheader.gr":         {ErrTruncated, "the file ends before the header"},
	"huge.gr":             {ErrRange, "line 1: the number of vertices is 281474976710657"},
	"short.gr":            {ErrSyntax, "line 1: the line ends where the number of edges is wanted"},
	"array.mtx":           {ErrSyntax, "line 1: a matrix as array stands"},
	"oblong.mtx":          {ErrSyntax, "line 2: the matrix is 2 by 3"},
	"novalue.mtx":         {ErrSyntax, "line 4: the line ends where the value of an entry is wanted"},
	"midvalue.mtx":        {ErrTruncated, "line 4: the file ends where the value of an entry is wanted"},
	"word.mtx":            {ErrSyntax, "line 4: found 'o' where the value of an entry is wanted"},
	"above.mtx":           {ErrRange, "line 4: vertex 4 is not one of 1 to 3"},
	"fewer.mtx":           {ErrTruncated, "the sizes tell 3 entries, but the file ends after 2"},
	"more.mtx":            {ErrDamaged, "the sizes tell 1 entries, but there are more"},
	"field.mtx":           {ErrSyntax, "line 1: the unknown field quaternion"},
	"symmetry.mtx":        {ErrSyntax, "line 1: the unknown symmetry crooked"},
	"bothsides.mtx":       {ErrDamaged, "line 4: entry (1,2) is on the other side of the diagonal"},
	"diagonal.mtx":        {ErrDamaged, "line 3: entry (2,2) is on the diagonal"},
	"nosizes.mtx":         {ErrTruncated, "the file ends before the sizes"},
	"letter.graph":        {ErrSyntax, "line 1: found 'x' where the number of edges is wanted"},
	"fewerrows.graph":     {ErrTruncated, "the header tells 3 vertices, but the file ends after 2 rows"},
	"morerows.graph":      {ErrDamaged, "line 5: the header tells 3 vertices, but there are more rows"},
	"feweredges.graph":    {ErrTruncated, "the header tells 3 edges, but there are 2"},
	"moreedges.graph":     {ErrDamaged, "line 3: the header tells 1 edges, but there are more"},
	"oneend.graph":        {ErrDamaged, "an edge stands only in the row of one of its ends (2 neighbours are larger, 1 smaller than their row)"},
	"crooked.graph":       {ErrDamaged, "line 4: the header tells 2 edges, but there are more"},
	"crookedtwice.graph":  {ErrDamaged, "(2 neighbours are larger, 2 smaller than their row)"},
	"above.graph":         {ErrRange, "line 2: vertex 3 is not one of 1 to 2"},
	"zero.graph":          {ErrRange, "line 2: vertex 0 is not one of 1 to 2"},
	"fmt.graph":           {ErrSyntax, "line 1: the weight format is 12"},
	"noweight.graph":      {ErrSyntax, "line 3: the line ends where the weight of an edge is wanted"},
	"norowweight.graph":   {ErrSyntax, "line 3: the line ends where the weight or size of a vertex is wanted"},
	"oddloop.graph":       {ErrDamaged, "the self-loop of vertex 1 stands an odd number of times"},
	"noheader.graph":      {ErrTruncated, "the file ends before the header"},
	"manyweights.graph":   {ErrSyntax, "line 2: the line ends where the weight or size of a vertex is wanted"},
	"weightoverflow.mtx":  {ErrSyntax, "found '9' where the end of the line after an entry is wanted"},
	"headercolumns.graph": {ErrSyntax, "line 1: found '5' where the end of the line after the header is wanted"},
}

func TestDamagedFiles(t *testing.T) {
	files, err := os.ReadDir(filepath.Join("testdata", "damaged"))
	require.NoError(t, err)
	require.Len(t, files, len(damagedFiles))
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			want, known := damagedFiles[file.Name()]
			require.True(t, known)
			path := filepath.Join("testdata", "damaged", file.Name())
			err := openAndRead(path)
			require.ErrorIs(t, err, want.kind)
			require.ErrorContains(t, err, want.says)
			require.ErrorContains(t, err, path)
		})
	}
}

func openAndRead(path string) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = ReadAll(f)
	return err
}

// readText reads a graph from text, all of it.
func readText(text, name string) error {
	f, err := Read(strings.NewReader(text), name)
	if err != nil {
		return err
	}
	_, err = ReadAll(f)
	return err
}

// TestCutAnywhere cuts each good file that tells its size at every byte: all but the final line end is missed.
func TestCutAnywhere(t *testing.T) {
	for _, good := range goodFiles {
		if good.file == "sparse.txt" {
			continue // tells no size
		}
		whole, err := os.ReadFile(filepath.Join("testdata", good.file))
		require.NoError(t, err)
		text := strings.TrimRight(string(whole), "\n")
		require.NoError(t, readText(text, good.file), "a missing final line end is no damage")
		for cut := range len(text) {
			require.Error(t, readText(text[:cut], good.file), "%s cut after %q", good.file, text[:cut])
		}
	}
}

func TestLineTooLong(t *testing.T) {
	for name, text := range map[string]string{
		"blanks.el":    "0 1\n2 " + strings.Repeat(" ", 2*lineBytesMax) + "3\n",
		"comment.el":   "0 1\n#" + strings.Repeat("x", 2*lineBytesMax) + "\n2 3\n",
		"beginning.el": "#" + strings.Repeat("x", 2*commentBytesMax) + "\n2 3\n",
		"word.gr":      strings.Repeat("p", 1000) + " tw 1 1\n",
	} {
		err := readText(text, name)
		require.ErrorIs(t, err, ErrSyntax, name)
		require.ErrorContains(t, err, "longer than", name)
	}
}

// TestLongRow: rows of METIS may be longer than any line and any buffer.
func TestLongRow(t *testing.T) {
	const leaves = 300000
	star := "300001 300000\n" + strings.Repeat(" ", 2*lineBytesMax)
	var row strings.Builder
	for leaf := uint64(2); leaf <= leaves+1; leaf++ {
		row.WriteString(" 000")
		row.WriteString(decimal(leaf))
	}
	star += row.String() + "\n" + strings.Repeat("1\n", leaves)
	f, err := Read(strings.NewReader(star), "star.graph")
	require.NoError(t, err)
	edges, err := ReadAll(f)
	require.NoError(t, err)
	require.Len(t, edges, leaves)
	require.Equal(t, Edge{0, leaves}, edges[leaves-1])
}

func decimal(v uint64) string {
	if v < 10 {
		return string(rune('0' + v))
	}
	return decimal(v/10) + string(rune('0'+v%10))
}

// TestHeadersAllocateNothing: numbers in a header are claims; memory follows what was read.
func TestHeadersAllocateNothing(t *testing.T) {
	for name, text := range map[string]string{
		"vertices.gr":    "p tw 281474976710656 1\n1 281474976710656\n",
		"edges.gr":       "p tw 281474976710656 18446744073709551615\n1 2\n",
		"vertices.mtx":   "%%MatrixMarket matrix coordinate pattern general\n281474976710656 281474976710656 1\n1 2\n",
		"vertices.graph": "281474976710656 1\n2\n1\n",
		"weights.graph":  "2 1 10 281474976710656\n1 2\n",
		"far.el":         "0 900000\n900001 900002\n",
		"ids.el":         "# Nodes: 281474976710656 Edges: 2\n281474976710655 4095\n18446744073709551615 0\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = readText(text, name)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20), name)
	}
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

func TestWeighted(t *testing.T) {
	for text, want := range map[string]bool{
		"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n":      false,
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3.5\n":     true,
		"%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 -3\n": true,
		"p tw 2 1\n1 2\n":            false,
		"# an edge list\n1 2\n":      false,
		"% rows\n2 1\n2\n1\n":        false,
		"% rows\n2 1 1\n2 7\n1 7\n":  true,
		"% rows\n2 1 10\n7 2\n7 1\n": true,
	} {
		f, err := Read(strings.NewReader(text), "g")
		require.NoError(t, err, text)
		require.Equal(t, want, f.Weighted(), text)
	}
	for name, text := range map[string]string{"g.el": "1 2 0.5\n", "t.el": "1 2\t1082040961\n", "n.el": "1 2 -1\n", "g.gr": "p tw 2 1\n1 2 9\n"} {
		err := readText(text, name)
		require.ErrorIs(t, err, ErrSyntax)
		require.ErrorContains(t, err, "weights are not supported here, leave them out")
	}
}

// TestCompactionTwin compares the numbering with a plain map and a scan for missing ids.
func TestCompactionTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		idMax := rapid.SampledFrom([]uint64{5, 50, 50000, 1<<64 - 1}).Draw(t, "largest id")
		ids := rapid.SliceOfN(rapid.Uint64Range(0, idMax), 1, 200).Draw(t, "ids")
		c := newCompaction()
		twin := make(map[uint64]uint64)
		var order []uint64
		for _, id := range ids {
			if _, met := twin[id]; !met {
				twin[id] = uint64(len(order))
				order = append(order, id)
			}
			require.Equal(t, twin[id], c.meet(id))
		}
		silent := rapid.Uint64Range(0, 100).Draw(t, "isolated vertices")
		for id := uint64(0); silent > 0; id++ {
			if _, met := twin[id]; !met {
				twin[id] = uint64(len(order))
				order = append(order, id)
				silent--
			}
		}
		c.settle(uint64(len(order)))
		require.Equal(t, uint64(len(order)), c.vertices())
		for index, id := range order {
			require.Equal(t, id, c.id(uint64(index)))
			back, known := c.index(id)
			require.True(t, known)
			require.Equal(t, uint64(index), back)
		}
		stranger := rapid.Uint64().Draw(t, "stranger")
		index, known := c.index(stranger)
		want, met := twin[stranger]
		require.Equal(t, met, known)
		if known {
			require.Equal(t, want, index)
		}
	})
}

// readWeighted reads all edges of a text with their weights.
func readWeighted(text, name string) (*File, []Edge, []float64, error) {
	f, err := Read(strings.NewReader(text), name, Weights())
	if err != nil {
		return nil, nil, nil, err
	}
	edges, weights := make([]Edge, 100), make([]float64, 100)
	n, err := f.WeightedEdges(edges, weights)
	if err != nil {
		return f, nil, nil, err
	}
	_, err = f.WeightedEdges(edges[n:], weights[n:]) // the end, or what is wrong
	return f, edges[:n], weights[:n], err
}

// Every format's weights are read, and an edge has the same weight from both of its ends.
func TestWeightsOfFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		directed bool
		edges    []Edge
		weights  []float64
	}{
		"snap.el":      {"# some\n5 7 0.5\n7 5 1e3\n", true, []Edge{{0, 1}, {1, 0}}, []float64{0.5, 1000}},
		"pace.gr":      {"p tw 3 2\n1 2 4\n2 3 0\n", false, []Edge{{0, 1}, {1, 2}}, []float64{4, 0}},
		"dimacs.gr":    {"c roads\np sp 3 2\na 1 2 803\na 2 1 158\n", true, []Edge{{0, 1}, {1, 0}}, []float64{803, 158}},
		"m.mtx":        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5D1\n3 3 -0\n", false, []Edge{{1, 0}, {2, 2}}, []float64{15, 0}},
		"i.mtx":        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 +9\n", true, []Edge{{0, 1}}, []float64{9}},
		"m.graph":      {"3 2 1\n2 7\n1 7 3 2\n2 2\n", false, []Edge{{0, 1}, {1, 2}}, []float64{7, 2}},
		"loops.graph":  {"1 2 1\n1 7 1 8\n", false, []Edge{{0, 0}, {0, 0}}, []float64{7, 8}},
		"twice.graph":  {"1 2 1\n1 7 1 8 1 7 1 8\n", false, []Edge{{0, 0}, {0, 0}}, []float64{7, 8}},
		"vertex.graph": {"2 1 11\n5 2 7\n6 1 7\n", false, []Edge{{0, 1}}, []float64{7}},
	} {
		f, edges, weights, err := readWeighted(c.text, name)
		require.ErrorContains(t, err, "EOF", name)
		require.Equal(t, c.edges, edges, name)
		require.Equal(t, c.weights, weights, name)
		require.Equal(t, c.directed, f.Directed(), name)
		require.True(t, f.Weighted(), name)
	}
}

// DIMACS's files are graphs without their weights too.
func TestDIMACS(t *testing.T) {
	f, err := Read(strings.NewReader("p sp 3 2\na 1 2 803\na 2 3 5\n"), "roads")
	require.NoError(t, err)
	edges, err := ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, []Edge{{0, 1}, {1, 2}}, edges)
	require.True(t, f.Directed())
}

func TestBadWeights(t *testing.T) {
	for text, c := range map[string]struct {
		name string
		kind error
		says string
	}{
		"1 2\n":             {"a.el", ErrUnweighted, "line 1: no weight follows the two vertices of an edge"},
		"1 2 -1\n":          {"a.el", ErrRange, "line 1: the weight of an edge is -1, which is no finite number of 0 or more"},
		"1 2 NaN\n":         {"a.el", ErrRange, "is NaN"},
		"1 2 inf\n":         {"a.el", ErrRange, "is inf"},
		"1 2 1e999\n":       {"a.el", ErrRange, "is 1e999"},
		"1 2 0x10\n":        {"a.el", ErrSyntax, `found "0x10" where the weight of an edge is wanted`},
		"1 2 1_0\n":         {"a.el", ErrSyntax, `found "1_0"`},
		"1 2 heavy\n":       {"a.el", ErrSyntax, `found "heavy"`},
		"1 2 3 4\n":         {"a.el", ErrSyntax, "the end of the line after the weight of an edge"},
		"p sp 2 1\n1 2 3\n": {"a.gr", ErrSyntax, "found \"1\" where an arc `a FROM TO WEIGHT` is wanted"},
		"p sp 2 1\na 1 2\n": {"a.gr", ErrSyntax, "the line ends where the weight of an arc is wanted"},
		"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n":     {"a.mtx", ErrUnweighted, "line 1: the field is pattern"},
		"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3 4\n": {"a.mtx", ErrUnweighted, "line 1: the field is complex"},
		"2 1\n2\n1\n":                           {"a.graph", ErrUnweighted, "the header has no weight format"},
		"2 1 10\n5 2\n6 1\n":                    {"a.graph", ErrUnweighted, "without weights of edges"},
		"2 1 1\n2 7\n1 8\n":                     {"a.graph", ErrDamaged, "or its ends have other weights for it"},
		"1 2 " + strings.Repeat("1", 99) + "\n": {"a.el", ErrSyntax, "longer than any weight"},
	} {
		_, _, _, err := readWeighted(text, c.name)
		require.ErrorIs(t, err, c.kind, text)
		require.ErrorContains(t, err, c.says, text)
	}
}

func TestUniformWeights(t *testing.T) {
	all, some := make([]float64, 1000), make([]float64, 10)
	UniformWeights(3).Weigh(0, all)
	UniformWeights(3).Weigh(500, some)
	require.Equal(t, all[500:510], some)
	sum := 0.0
	for _, w := range all {
		require.GreaterOrEqual(t, w, 0.0)
		require.Less(t, w, 1.0)
		sum += w
	}
	require.InDelta(t, 500, sum, 50)
}
