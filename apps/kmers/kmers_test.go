package kmers

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// Any number of ranks over each transport finds the counts of a Go map of k-mers as text.
func TestCountsAreThoseOfTheSerialTwin(t *testing.T) {
	for _, c := range []Config{
		{Bases: 3000, Coverage: 5, Common: apps.Common{Seed: 3}}, {Bases: 2000, K: 32, Errors: 0.05}, {Bases: 500, K: 1},
		{Bases: 100, K: 2, Coverage: 1},
	} {
		t.Run(fmt.Sprintf("%d bases, %d-mers", c.Bases, c.K), func(t *testing.T) {
			appstest.AllEverywhere(t, Run, c, func(t *testing.T, _ int, p Result) {
				require.Zero(t, p.Errors, p.Wrong)
				require.True(t, p.Twin)
			})
		})
	}
}

func scanned(read string, k int) (all []uint64) {
	s := scanner{k: k, take: func(ks []uint64) { all = append(all, ks...) }}
	s.scan([]byte(read))
	s.flush()
	return all
}

// Numbers of k-mers match their text: they are equal for a sequence and its reverse complement, in either case of
// letters, and absent for text with another letter.
func TestScanFindsCanonicalKmers(t *testing.T) {
	seed := seeds.Of(t)
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for k := 1; k <= kMost; k++ {
		var b strings.Builder
		for range 200 {
			b.WriteByte("ACGTACGTACGTACGTN"[random.IntN(17)])
		}
		read := b.String()
		var want []uint64
		for i := 0; i+k <= len(read); i++ {
			if piece := read[i : i+k]; !strings.Contains(piece, "N") {
				n := uint64(0)
				for _, base := range canonicalText(piece) {
					n = n<<2 | uint64(strings.IndexRune("ACGT", base))
				}
				want = append(want, n)
			}
		}
		require.Equal(t, want, scanned(read, k), "k %d", k)
		require.Equal(t, want, scanned(strings.ToLower(read), k), "k %d", k)
	}
	require.Empty(t, scanned("", 3))
	require.Empty(t, scanned("AC", 3))
}

func TestFilesAreCounted(t *testing.T) {
	folder := t.TempDir()
	fasta, fastq := filepath.Join(folder, "a.fa"), filepath.Join(folder, "b.fastq")
	require.NoError(t, os.WriteFile(fasta, []byte(">one\nACG\nTAC\n>two\nacgtac\n>three\nNNN\n"), 0o600))
	require.NoError(t, os.WriteFile(fastq, []byte("@one\nACGTAC\n+\n@@@@@@\n@two\nACGTACN\n+\nIIIIIII\n"), 0o600))
	for _, file := range []string{fasta, fastq} {
		for ranks, filter := range map[int]int64{1: 0, 2: 1 << 12, 4: 0, 7: 1 << 12} {
			c := Config{Input: apps.Input{Files: []string{file}}, K: 4, Filter: filter}
			for _, p := range appstest.All(t, appstest.Mem(ranks), Run, c) {
				// ACGT is its own reverse complement; CGTA has TACG, GTAC itself.
				require.Zero(t, p.Errors)
				require.EqualValues(t, []uint64{6, 3, 0, 2}, []uint64{p.Kmers, p.Distinct, p.Singletons, p.Highest})
			}
		}
	}
}

// With enough memory the filter omits nearly all k-mers that occur once, and never others. With the least memory it
// omits few.
func TestFilter(t *testing.T) {
	all := Serial(Config{Bases: 20_000, Errors: 0.01})
	require.Greater(t, all.Singletons, all.Distinct/2)
	for _, c := range []struct{ bytes, least, most int64 }{
		{1 << 20, int64(all.Singletons) * 99 / 100, int64(all.Singletons)}, {64, 0, int64(all.Singletons) / 50},
	} {
		of := Config{Bases: 20_000, Errors: 0.01, Filter: c.bytes}
		for _, p := range appstest.All(t, appstest.Mem(2), Run, of) {
			require.Zero(t, p.Errors, p.Wrong)
			require.GreaterOrEqual(t, int64(p.Filtered), c.least)
			require.LessOrEqual(t, int64(p.Filtered), c.most)
			require.Equal(t, all.Distinct, p.Distinct+p.Filtered)
		}
	}
}

// Counts of generated reads and of files continue from a checkpoint, and each read counts once.
func TestKmersGoOn(t *testing.T) {
	reads, _ := Reads(Config{Bases: 1000, Errors: 0.01}, 0, 1)
	var fasta, fastq strings.Builder
	for i, read := range reads {
		fmt.Fprintf(&fasta, ">%d\n%s\n%s\n", i, read[:50], read[50:])
		fmt.Fprintf(&fastq, "@%d\n%s\n+\n%s\n", i, read, strings.Repeat("I", len(read)))
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.fa": fasta.String(), "b.fq": fastq.String(), "c.fa": ">x\nACGTTTGCA\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	files := apps.Input{Files: []string{filepath.Join(folder, "*.fa")}}
	for name, c := range map[string]Config{
		"made up": {Bases: 2000, Coverage: 10, Errors: 0.01, batch: 1500}, "FASTA": {Input: files, K: 5, batch: 1000},
		"FASTQ, filtered": {
			Input: apps.Input{Files: []string{filepath.Join(folder, "b.fq")}}, Filter: 1 << 20, batch: 3000,
		},
	} {
		t.Run(name, func(t *testing.T) {
			appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
				c := c
				c.Output.Path = path
				_, err := Run(r, c)
				return err
			}, nil)
		})
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{K: 33}, "k-mers of 33 bases"},
		{Config{Bases: 99}, "a genome of 99 bases"},
		{Config{Coverage: -1}, "a coverage of -1"},
		{Config{Errors: 1.5}, "1.5 of all bases wrong"},
		{Config{Filter: 63}, "a filter of 63 bytes: give 64 or more"},
		{Config{Input: apps.Input{Files: []string{"x"}}, Bases: 1000}, "files are given: leave them out"},
	} {
		require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 2}, appstest.Once(Run, c.config)), c.want)
	}
	bad := filepath.Join(t.TempDir(), "bad.fq")
	require.NoError(t, os.WriteFile(bad, []byte("@one\nACGT\n+\nII\n"), 0o600))
	err := appstest.Job(t, pebble.Config{Ranks: 2}, appstest.Once(Run, Config{Input: apps.Input{Files: []string{bad}}}))
	require.ErrorContains(t, err, "bad.fq")
}

// A lenient run counts the readable records, and the unreadable ones.
func TestDamagedReads(t *testing.T) {
	const good = "@one\nACGTAC\n+\nIIIIII\n"
	bad := appstest.Write(t, "bad.fq", good+"@two\nACGTAC\n+\nIII III\n"+good+"@three\nAC\n+four\nII\n")
	for ranks, filter := range map[int]int64{1: 0, 2: 1 << 12, 7: 0} {
		c := Config{Input: apps.Input{Files: []string{bad}, Lenient: true}, K: 4, Filter: filter}
		for _, p := range appstest.All(t, appstest.Mem(ranks), Run, c) {
			require.EqualValues(t, []uint64{2, 6, 0, 2}, []uint64{p.Reads, p.Kmers, p.Errors, uint64(p.Skipped)})
			require.Contains(t, p.FirstSkipped, "bad.fq: line 5: ")
		}
	}
}

func BenchmarkKmers(b *testing.B) {
	appstest.Rate(b, appstest.Mem(2), func(r *pebble.Rank) (uint64, float64, uint64, error) {
		result, err := Run(r, Config{Bases: 5_000_000, SkipTwin: true})
		return result.Kmers, result.Seconds, result.Errors, err
	})
}

// Output has k-mers in the order of their letters, with the counts of a map, and all multiplicities. A filter omits
// k-mers that occur once, but the histogram includes them.
func TestOutput(t *testing.T) {
	c := Config{Bases: 2000, Errors: 0.02, K: 17, Common: apps.Common{Seed: 2}}
	reads, _ := Reads(c, 0, 1)
	text, counts := "", map[string]int{}
	for i, read := range reads {
		text += fmt.Sprintf(">%d\n%s\n", i, read)
		for at := 0; at+c.K <= len(read); at++ {
			counts[canonicalText(string(read[at:at+c.K]))]++
		}
	}
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, filter := range []int64{0, 1 << 20} {
			folder := t.TempDir()
			c := Config{Input: apps.Input{Files: []string{appstest.Write(t, "reads", text)}}, K: 17, Filter: filter}
			c.Output.Path, c.Histogram = filepath.Join(folder, "kmers.csv"), filepath.Join(folder, "histogram.csv")
			for _, p := range appstest.All(t, appstest.Mem(ranks), Run, c) {
				require.Zero(t, p.Errors, p.Wrong)
				require.EqualValues(t, len(counts), p.Distinct+p.Filtered)
			}
			want, multiplicities := "kmer,count\n", map[int]int{}
			for _, kmer := range slices.Sorted(maps.Keys(counts)) {
				if multiplicities[counts[kmer]]++; counts[kmer] > 1 || filter == 0 {
					want += fmt.Sprintf("%s,%d\n", kmer, counts[kmer])
				}
			}
			got, err := os.ReadFile(c.Output.Path)
			require.NoError(t, err)
			require.Equal(t, want, string(got))
			want = "multiplicity,kmers\n"
			for _, n := range slices.Sorted(maps.Keys(multiplicities)) {
				want += fmt.Sprintf("%d,%d\n", n, multiplicities[n])
			}
			got, err = os.ReadFile(c.Histogram)
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		}
	}
	both := Config{Histogram: "a.csv", Common: apps.Common{Output: apps.Output{Path: "a.csv"}}}
	require.ErrorContains(t, both.Check(1), "name two files")
	require.ErrorContains(t, Config{Histogram: "a.txt"}.Check(1), "the extension does not name a format")
}

// The first byte distinguishes FASTQ from FASTA if the name does not.
func TestFormatOfFiles(t *testing.T) {
	for _, text := range []string{"@a\nACGT\n+\nIIII\n", ">a\nACGT\n"} {
		c := Config{Input: apps.Input{Files: []string{appstest.Write(t, "reads", text)}}, K: 4}
		for _, p := range appstest.All(t, appstest.Mem(3), Run, c) {
			require.EqualValues(t, 1, p.Kmers)
		}
	}
}
