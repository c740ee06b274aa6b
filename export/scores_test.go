package export_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/export/parquet"
)

// scores is the number of vertices of Graph500's graph of scale 20.
const scores = 1 << 20

// BenchmarkScores writes a table of vertices and scores, like pagerank, by one rank. BenchmarkFprintf does the same by
// a loop in C. The ratio of both for CSV should be at most 1.3. Both sync the file. user-s is CPU time, and MB/user-s
// the bytes of the columns per second of it.
func BenchmarkScores(b *testing.B) {
	draws := rand.New(rand.NewPCG(1, 0))
	vertices, values := make([]uint64, scores), make([]float64, scores)
	for i := range vertices {
		vertices[i], values[i] = uint64(i), draws.ExpFloat64()/scores
	}
	table := func(from, to int) []export.Column {
		return []export.Column{{Name: "vertex", Values: vertices[from:to]}, {Name: "score", Values: values[from:to]}}
	}
	for _, extension := range []string{".csv", ".tsv.zst", ".jsonl", ".avro", ".parquet"} {
		b.Run(extension[1:], func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "scores"+extension)
			before := userSeconds(b)
			for b.Loop() {
				_, err := writeTable(b, 1, scores, 4096, path, table, export.Replace(), export.Also(parquet.Table()))
				require.NoError(b, err)
			}
			seconds := (userSeconds(b) - before) / float64(b.N)
			b.ReportMetric(seconds, "user-s")
			b.ReportMetric(16*scores/seconds/1e6, "MB/user-s")
		})
	}
}

// userSeconds returns the CPU time of this process.
func userSeconds(b *testing.B) float64 {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Sec) + float64(used.Utime.Usec)/1e6
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
	seconds := 0.0
	for b.Loop() {
		command := exec.Command(program, filepath.Join(folder, "scores.csv"))
		out, err := command.CombinedOutput()
		require.NoError(b, err, string(out))
		seconds += command.ProcessState.UserTime().Seconds()
	}
	info, err := os.Stat(filepath.Join(folder, "scores.csv"))
	require.NoError(b, err)
	b.ReportMetric(float64(info.Size()), "bytes")
	b.ReportMetric(seconds/float64(b.N), "user-s") // making the numbers included
}
