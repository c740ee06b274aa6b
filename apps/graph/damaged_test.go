package graph

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
		fmt.Fprintf(&row, " 000%d", leaf)
	}
	star += row.String() + "\n" + strings.Repeat("1\n", leaves)
	f, err := Read(strings.NewReader(star), "star.graph")
	require.NoError(t, err)
	edges, err := ReadAll(f)
	require.NoError(t, err)
	require.Len(t, edges, leaves)
	require.Equal(t, Edge{0, leaves}, edges[leaves-1])
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
