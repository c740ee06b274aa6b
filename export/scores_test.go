package export_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/export"
)

// scores is as many scores as the vertices of Graph500's graph of scale 20.
const scores = 1 << 20

// BenchmarkScores writes a table of vertices and scores, as pagerank does, by one rank. BenchmarkFprintf does the same
// by a loop in C: the ratio of both is to be at most 1.3. Both sync the file.
func BenchmarkScores(b *testing.B) {
	draws := rand.New(rand.NewPCG(1, 0))
	vertices, values := make([]uint64, scores), make([]float64, scores)
	for i := range vertices {
		vertices[i], values[i] = uint64(i), draws.ExpFloat64()/scores
	}
	table := func(from, to int) []export.Column {
		return []export.Column{{Name: "vertex", Values: vertices[from:to]}, {Name: "score", Values: values[from:to]}}
	}
	path := filepath.Join(b.TempDir(), "scores.csv")
	for b.Loop() {
		_, err := writeTable(b, 1, scores, scores, path, table, export.Replace())
		require.NoError(b, err)
	}
}

// BenchmarkFprintf is the loop in C, without the time to make its numbers.
func BenchmarkFprintf(b *testing.B) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		b.Skip("no C compiler")
	}
	folder := b.TempDir()
	program := filepath.Join(folder, "scores")
	out, err := exec.Command(cc, "-O2", "-o", program, filepath.Join("testdata", "scores.c"), "-lm").CombinedOutput()
	require.NoError(b, err, string(out))
	for b.Loop() {
		out, err := exec.Command(program, filepath.Join(folder, "scores.csv")).CombinedOutput()
		require.NoError(b, err, string(out))
	}
	info, err := os.Stat(filepath.Join(folder, "scores.csv"))
	require.NoError(b, err)
	b.ReportMetric(float64(info.Size()), "bytes")
}
