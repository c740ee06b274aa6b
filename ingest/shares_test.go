package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// ranksMax is the maximum number of ranks in the properties.
const ranksMax = 40

// seen is a program's view of files: the records in order with their positions, and the result of Report.
type seen struct {
	Records []string
	Skipped int64
	First   string
	Err     string
}

// see reads a file on a rank.
func see[T any](r *pebble.Rank, path string, format Format[T], keep func(T) string, opts ...Option) (s seen) {
	in, err := Open(r, []string{path}, Positions(format), opts...)
	if err != nil {
		return seen{Err: err.Error()}
	}
	for v := range in.All() {
		s.Records = append(s.Records, fmt.Sprint(v.Line, " ", v.Offset, " ", keep(v.Record)))
	}
	report, err := in.Report()
	if s.Skipped, s.First = report.Skipped, report.First; err != nil {
		s.Err = err.Error()
	}
	return s
}

// A content is drawn, and read on a rank in its format.
type content struct {
	draw func(t *rapid.T) []byte
	see  func(r *pebble.Rank, path string, opts ...Option) seen
}

func contentOf[T any](draw func(t *rapid.T) []byte, format Format[T], keep func(T) string) content {
	return content{draw, func(r *pebble.Rank, path string, opts ...Option) seen {
		return see(r, path, format, keep, opts...)
	}}
}

// soup draws pieces of text behind a prefix.
func soup(begin string, pieces ...string) func(t *rapid.T) []byte {
	some := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40)
	return func(t *rapid.T) []byte { return []byte(begin + strings.Join(some.Draw(t, "pieces"), "")) }
}

// damaged draws a file of blocks with some wrong bytes.
func damaged(t *rapid.T) []byte {
	codec := rapid.SampledFrom([]string{"null", "deflate", "snappy"}).Draw(t, "codec")
	file, _ := pairs(silent{}, rapid.IntRange(0, 60).Draw(t, "records"), rapid.IntRange(1, 9).Draw(t, "block"), codec)
	header := len(file)
	if starts := blocksOf(silent{}, file); len(starts) > 0 {
		header = int(starts[0])
	}
	for range rapid.IntRange(0, 3).Draw(t, "damages") {
		if header < len(file) {
			file[rapid.IntRange(header, len(file)-1).Draw(t, "at")] ^= rapid.Byte().Draw(t, "flip")
		}
	}
	return file
}

// silent is a test for helpers that cannot fail.
type silent struct{ testing.TB }

func (silent) Helper() {}

func contents() map[string]content {
	type A struct {
		A int `csv:"a"`
		B string
	}
	long := strings.Repeat("x", 60)
	csv := []string{"\"", "\"\"", ",", ",", "\n", "\n", "\r\n", "\r", "1", "b", "\",\"", "\"\n\"", "1,b\n", "2,\"\n\"\n",
		long}
	line := []string{"a", "\n", "\n", "\r\n", "\r", "\x00", long}
	edge := []string{"1 2\n", "2 3 0.5\n", "1\n", "% 1 2\n", "# 1\n", "\n", " 3\t1\r\n", "x", "9 " + long + "\n"}
	fastq := []string{"@a\nAC\n+\nII\n", "@b c\nA\n+b c\n@\n", "@c\r\nG\r\n+\r\n+\r\n", "@a\n", "AC\n", "+\n", "I@\n",
		"@I\n", "@", "\n", "\r\n", "@" + long + "\nA\n+\nI\n", "@l\n" + long + "\n+\n@" + long[1:] + "\n", long + "\n",
		"@\n\n+\n\n", "@d\nAC\n+\n@I\n"}
	return map[string]content{
		"lines": contentOf(soup("\xef\xbb\xbf", line...), Lines(), text),
		"numbers": contentOf(soup("", "1", "x", "\n", "\n", long), LinesOf(func(line []byte) (int, error) {
			var n int
			_, err := fmt.Sscan(string(line), &n)
			return n, err
		}), func(n int) string { return fmt.Sprint(n) }),
		"CSV":           contentOf(soup("a,B\n", csv...), CSV[A](), func(v A) string { return fmt.Sprint(v) }),
		"CSV without":   contentOf(soup("", csv...), CSV[A](NoHeader()), func(v A) string { return fmt.Sprint(v) }),
		"rows":          contentOf(soup("\xef\xbb\xbf", csv...), Rows(NoHeader()), fields),
		"rows of lines": contentOf(soup("", csv...), Rows(NoHeader(), LineRows()), fields),
		"no quotes":     contentOf(soup("", csv...), Rows(NoHeader(), NoQuotes()), fields),
		"JSON": contentOf(soup("", "1", "{}", "\n", "\n", "\"\xff\"", "[", " ", long), JSONLines[any](),
			func(v any) string { return fmt.Sprint(v) }),
		"FASTA": contentOf(soup("", ">a\n", ">b\r\n", "AC\n", "G\r\n", "\n", ">", "A", long), FASTA(), sequence),
		"FASTQ": contentOf(soup("", fastq...), FASTQ(), sequence),
		"edges": contentOf(soup("", edge...), Edges(EdgeList), edgeText),
		"PACE": contentOf(soup("p sp 3 3\n", "a 1 2 3\n", "c a\n", "a 1\n", "b\n", "\n", "a 2 1 0.5\r\n", long),
			Edges(PACE), edgeText),
		"matrix": contentOf(soup("%%MatrixMarket matrix coordinate real general\n", append(edge, "3 3 4\n")...),
			Edges(MatrixMarket), edgeText),
		"METIS": contentOf(soup("% c\n4 4 001\n", "2 1\n", "2 1 3 1\n", "\n", "% 2\n", "x\n", "4 2\r\n", long+"\n"),
			Edges(METIS), edgeText),
		"Avro": contentOf(damaged, AvroOf(avro.Must[pair]()), func(v pair) string { return fmt.Sprint(v) }),
	}
}

func edgeText(e Edge) string { return fmt.Sprint(e) }

// as deals files for the given number of ranks, and gives all pieces to one rank.
func as(ranks int) Option {
	return option(func(o *options) {
		o.deal = func(files []file, _ int) [][]piece { return [][]piece{slices.Concat(deal(files, ranks)...)} }
	})
}

func window1(bytes int) Option { return option(func(o *options) { o.window = bytes }) }

// packed draws the compression of a file.
func packed(t *rapid.T, file []byte) []byte {
	size := rapid.IntRange(1, 30).Draw(t, "size of frames")
	switch rapid.IntRange(0, 5).Draw(t, "compressed") {
	case 0:
		return zstdFrames(silent{}, file, size)
	case 1:
		return bgzf(silent{}, file, size)
	}
	return file
}

// Records, skipped records and errors do not depend on the number of ranks or the size of reads.
func TestSharesAndBuffersAreInvisible(t *testing.T) {
	folder := t.TempDir()
	for name, c := range contents() {
		path, options := filepath.Join(folder, "data"), []Option(nil)
		check := func(t *rapid.T, r *pebble.Rank) {
			file := c.draw(t)
			if name != "Avro" {
				file = packed(t, file)
			}
			require.NoError(t, os.WriteFile(path, file, 0o600))
			limit := rapid.SampledFrom([]int{10, 30, 50, rowLimitDefault}).Draw(t, "limit")
			if name == "Avro" {
				limit = max(limit, 50)
			}
			options = []Option{RowLimit(limit), Skip(rapid.SampledFrom([]int64{0, 1, 1000}).Draw(t, "skip"))}
			want := c.see(r, path, append(options, window1(5000))...)
			for range 3 {
				ranks := rapid.IntRange(1, ranksMax).Draw(t, "ranks")
				bytes := rapid.SampledFrom([]int{1, 2, 3, 7, 20, 5000}).Draw(t, "window")
				got := c.see(r, path, append(options, as(ranks), window1(bytes))...)
				require.Equal(t, want, got, "%d ranks, %d bytes at a time", ranks, bytes)
			}
		}
		t.Run(name, func(t *testing.T) {
			ranks1(t, func(r *pebble.Rank) { rapid.Check(t, func(t *rapid.T) { check(t, r) }) })
		})
	}
}

// Several ranks see the same as one, and agree on the first mistake.
func TestRanksSeeTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	for name, c := range contents() {
		t.Run(name, func(t *testing.T) {
			skips, sample := []int64{0, 2, 1000}, 0
			example := rapid.Custom(func(t *rapid.T) []byte { return c.draw(t) })
			for _, ranks := range []int{2, 7, ranksMax} {
				file := example.Example(sample)
				require.NoError(t, os.WriteFile(path, file, 0o600))
				options := []Option{RowLimit(50), Skip(skips[sample])}
				sample++
				want := seenBy(t, 1, c, path, options)
				got := seenBy(t, ranks, c, path, options)
				if want.Err != "" {
					want.Records, got.Records = nil, nil // a rank reads up to its first error
					want.Skipped, got.Skipped = 0, 0
				}
				require.Equal(t, want, got, "%d ranks of %q", ranks, file)
			}
		})
	}
}

// seenBy returns the view that ranks have of a file.
func seenBy(t *testing.T, ranks int, c content, path string, opts []Option) (all seen) {
	by := make([]seen, ranks)
	require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		by[r.ID()] = c.see(r, path, opts...)
		return nil
	}))
	all = by[0]
	for _, s := range by[1:] {
		all.Records = append(all.Records, s.Records...)
		require.Equal(t, []any{all.Skipped, all.First, all.Err}, []any{s.Skipped, s.First, s.Err})
	}
	return all
}
