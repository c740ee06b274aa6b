package graph

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// seedFiles adds the content of all files of testdata with one of the extensions.
func seedFiles(f *testing.F, change func([]byte) []byte, extensions ...string) {
	f.Helper()
	for _, folder := range []string{"testdata", filepath.Join("testdata", "damaged")} {
		files, err := os.ReadDir(folder)
		require.NoError(f, err)
		for _, file := range files {
			for _, extension := range extensions {
				if !file.IsDir() && strings.HasSuffix(file.Name(), extension) {
					content, err := os.ReadFile(filepath.Join(folder, file.Name()))
					require.NoError(f, err)
					f.Add(change(content))
				}
			}
		}
	}
}

func asIs(content []byte) []byte { return content }

// allocatedMax bounds what reading a file of this size may allocate, whatever its numbers say: a fixed buffer for the
// file, one for its decompression, and memory for what it holds.
func allocatedMax(size int) uint64 { return 4<<20 + 1000*uint64(size) }

// checkRead reads arbitrary content: it ends, does not panic or allocate by claims, its errors are of the known kinds,
// and what it accepts is a graph.
func checkRead(t *testing.T, content []byte, format Format) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, count, largest, err := drain(content, format)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, allocatedMax(len(content)))
	if err != nil {
		require.True(t, isFileError(err), "%v", err)
		return
	}
	if count > 0 {
		require.Less(t, largest, f.Vertices())
	}
	if told, known := f.EdgesTold(); known {
		require.Equal(t, told, count)
	}
	if f.Vertices() <= 1000 {
		checkNames(t, f)
	}
}

// drain reads all edges and keeps none: small compressed files can hold very many.
func drain(content []byte, format Format) (f *File, count, largest uint64, err error) {
	f, err = Read(bytes.NewReader(content), "fuzzed", WithFormat(format))
	batch := make([]Edge, 100)
	for err == nil {
		var n int
		n, err = f.Edges(batch)
		for _, e := range batch[:n] {
			largest = max(largest, e.From, e.To)
		}
		count += uint64(n)
	}
	if err == io.EOF {
		err = nil
	}
	return f, count, largest, err
}

func FuzzEdgeList(f *testing.F) {
	seedFiles(f, asIs, ".el", ".txt")
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, content, EdgeList) })
}

func FuzzPACE(f *testing.F) {
	seedFiles(f, asIs, ".gr")
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, content, PACE) })
}

func FuzzMatrixMarket(f *testing.F) {
	seedFiles(f, asIs, ".mtx")
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, content, MatrixMarket) })
}

func FuzzMETIS(f *testing.F) {
	seedFiles(f, asIs, ".graph")
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, content, METIS) })
}

// FuzzDetect reads whatever comes, by what it looks like.
func FuzzDetect(f *testing.F) {
	seedFiles(f, asIs, "")
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, content, Auto) })
}

// FuzzGzip reads arbitrary compressed data; the seeds are compressed files.
func FuzzGzip(f *testing.F) {
	seedFiles(f, func(content []byte) []byte { return pack(f, content)[2:] }, "")
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, append([]byte("\x1f\x8b"), content...), Auto) })
}
