package kmers

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// jellyfish runs jellyfish, and returns the lines of its output, sorted.
func jellyfish(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("jellyfish", args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return ordered(string(out))
}

func ordered(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines)
	return lines
}

// reads returns sequences of two genomes, with letters of either case and unknown bases, some as wrapped FASTA and some
// as FASTQ.
func reads(t *testing.T) (files []string) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	genome := make([]byte, 3000)
	for i := range genome {
		genome[i] = "ACGTacgt"[random.IntN(8)]
	}
	var fasta, fastq strings.Builder
	for i := range 300 {
		from := random.IntN(len(genome) - 120)
		read := string(genome[from : from+20+random.IntN(100)])
		if i%7 == 0 {
			read = read[:9] + "N" + read[10:]
		}
		if i%2 == 0 {
			fmt.Fprintf(&fasta, ">%d of some\n%s\n%s\n", i, read[:15], read[15:])
		} else {
			fmt.Fprintf(&fastq, "@%d\n%s\n+\n%s\n", i, read, strings.Repeat("I", len(read)))
		}
	}
	return []string{appstest.Write(t, "some.fa", fasta.String()), appstest.Write(t, "some.fq", fastq.String())}
}

// K-mers, their counts and the histogram equal those of jellyfish.
func TestJellyfish(t *testing.T) {
	if _, err := exec.LookPath("jellyfish"); err != nil {
		t.Skip("needs jellyfish, which is not installed")
	}
	both := reads(t)
	for i, k := range []int{1, 4, 15, 21, 31} {
		files := both[i%2 : i%2+1]
		folder := t.TempDir()
		in := func(name string) string { return filepath.Join(folder, name) }
		jellyfish(t, append([]string{"count", "-C", "-m", fmt.Sprint(k), "-s", "100k", "-o", in("counts")}, files...)...)
		counts := jellyfish(t, "dump", "-c", "-t", in("counts"))
		histogram := jellyfish(t, "histo", in("counts"))

		c := Config{Input: apps.Input{Files: files}, K: k, Histogram: in("histogram.tsv")}
		c.Output.Path = in("kmers.tsv")
		got, err := appstest.Results(t, pebble.Config{Ranks: []int{1, 2, 4, 7, 3}[i]}, Run, c)
		require.NoError(t, err)
		require.Zero(t, got[0].Errors, got[0].Wrong)
		text := func(name string) string {
			all, err := os.ReadFile(in(name))
			require.NoError(t, err)
			_, rows, _ := strings.Cut(string(all), "\n")
			return rows
		}
		require.Equal(t, counts, ordered(text("kmers.tsv")), k)
		require.Equal(t, histogram, ordered(strings.ReplaceAll(text("histogram.tsv"), "\t", " ")), k)
	}
}
