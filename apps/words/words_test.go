package words

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

// Any number of ranks over each transport finds the counts of a Go map.
func TestCountsAreThoseOfTheSerialTwin(t *testing.T) {
	for _, c := range []Config{
		{Bytes: 200_000, Common: apps.Common{Seed: 3}}, {Bytes: 5000, Vocabulary: 2, Common: common(4, 1)},
		{Bytes: 20_000, Vocabulary: 1, Common: common(0, 5)}, {Bytes: 1},
	} {
		t.Run(fmt.Sprintf("%d bytes, %d words", c.Bytes, c.Vocabulary), func(t *testing.T) {
			appstest.AllEverywhere(t, Run, c, func(t *testing.T, _ int, p Result) {
				require.Zero(t, p.Errors, p.Wrong)
				require.True(t, p.Twin)
			})
		})
	}
}

// Counts of files depend on their bytes only, however they are stored.
func TestFilesAreCounted(t *testing.T) {
	folder := t.TempDir()
	texts := map[string]string{
		"a.txt": "one two  two\n\n\tthree\vthree three\r\n" + strings.Repeat("long", 50_000) + " one",
		"b.txt": "", "c.txt": "\n\n", "d.txt": strings.Repeat("x ", 100_000), "e.txt": "é ü\u00a0ü \x00 \xff",
	}
	want := map[string]uint64{}
	var packed bytes.Buffer
	for name, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		for _, w := range fields([]byte(text)) {
			want[string(w)] += 2
		}
	}
	zip := gzip.NewWriter(&packed)
	for _, text := range texts {
		_, err := zip.Write([]byte(text + "\n"))
		require.NoError(t, err)
	}
	require.NoError(t, zip.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "all.gz"), packed.Bytes(), 0o600))
	files := []string{filepath.Join(folder, "*.txt"), filepath.Join(folder, "all.gz")}
	c := Config{Input: apps.Input{Files: files}, Common: common(0, 100)}
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, p := range appstest.All(t, appstest.Mem(ranks), Run, c) {
			require.Zero(t, p.Errors)
			require.Equal(t, 6, p.Files)
			got := map[string]uint64{}
			for _, c := range p.Top {
				got[c.Word] = c.Count
			}
			require.Equal(t, want, got)
		}
	}
}

// The words of a splitter equal those of bytes.FieldsFunc, for any line and any end of batches.
func TestSplitterIsFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.StringOfN(rapid.RuneFrom([]rune("ab \t\r\v\fé\x00")), 0, 300, -1)).Draw(t, "lines")
		var got, want []string
		s := splitter{take: func(words [][]byte) {
			for _, w := range words {
				got = append(got, string(w))
			}
		}}
		for _, line := range lines {
			b := []byte(line)
			s.line(b)
			clear(b) // the line is no longer valid
			for _, w := range fields([]byte(line)) {
				want = append(want, string(w))
			}
		}
		s.flush()
		require.True(t, slices.Equal(want, got), "%q in place of %q", got, want)
	})
}

func TestWordsOfNumbersDiffer(t *testing.T) {
	seen := map[string]bool{}
	for n := range uint64(100_000) {
		w := string(appendWord(nil, n))
		require.False(t, seen[w], w)
		seen[w] = true
	}
	require.Len(t, seen, 100_000)
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Bytes: -1}, "a text of -1 bytes"},
		{Config{Vocabulary: vocabularyMost + 1}, "words: give 1 to"},
		{Config{Common: common(0, -1)}, "the -1 most frequent words"},
		{Config{Input: apps.Input{Files: []string{"x"}}, Bytes: 1}, "files are given: leave them out"},
	} {
		require.ErrorContains(t, c.config.Check(1), c.want)
		require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 2}, appstest.Once(Run, c.config)), c.want)
	}
	none := Config{Input: apps.Input{Files: []string{filepath.Join(t.TempDir(), "none.txt")}}}
	require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 2}, appstest.Once(Run, none)), "none.txt")
}

func BenchmarkWords(b *testing.B) {
	appstest.Rate(b, appstest.Mem(2), func(r *pebble.Rank) (uint64, float64, uint64, error) {
		result, err := Run(r, Config{Bytes: 200_000_000, SkipTwin: true})
		return result.Words, result.Seconds, result.Errors, err
	})
}

// common returns a configuration with a seed, and a number of words to report.
func common(seed uint64, top int) apps.Common {
	return apps.Common{Seed: seed, Output: apps.Output{Top: top}}
}

// Words are in the order of their bytes, with the counts of mawk for the same text.
func TestOutput(t *testing.T) {
	text := Text(Config{Bytes: 30_000, Vocabulary: 500}, 0, 1)
	c := Config{Input: apps.Input{Files: []string{appstest.Write(t, "text", string(text)+"\nx,y \xff\n")}}}
	counts := map[string]int{}
	for _, word := range fields(text) {
		counts[string(word)]++
	}
	want := "word\tcount\n"
	for _, word := range append(slices.Sorted(maps.Keys(counts)), "x,y", "\xff") {
		want += fmt.Sprintf("%s\t%d\n", word, max(1, counts[word]))
	}
	for _, ranks := range []int{1, 2, 4, 7} {
		c.Output.Path = filepath.Join(t.TempDir(), "words.tsv")
		for _, p := range appstest.All(t, appstest.Mem(ranks), Run, c) {
			require.Zero(t, p.Errors, p.Wrong)
			require.EqualValues(t, p.Distinct, p.Output.Rows)
		}
		got, err := os.ReadFile(c.Output.Path)
		require.NoError(t, err)
		require.True(t, slices.Equal(sortedLines(want), sortedLines(string(got))))
		require.True(t, slices.IsSorted(strings.Split(strings.TrimSpace(string(got)), "\n")[1:]))
		if mawk, err := exec.LookPath("mawk"); err == nil {
			program := `{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) print w "\t" n[w] }`
			counted, err := exec.Command(mawk, program, c.Files[0]).Output()
			require.NoError(t, err)
			require.True(t, slices.Equal(sortedLines("word\tcount\n"+string(counted)), sortedLines(string(got))))
		}
	}
}

func sortedLines(text string) []string { return slices.Sorted(strings.Lines(text)) }
