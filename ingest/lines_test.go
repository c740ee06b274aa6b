package ingest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func text(line []byte) string { return string(line) }

// scanned returns the lines of bufio.Scanner.
func scanned(content []byte) (lines []string) {
	s := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))))
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	return lines
}

func TestLines(t *testing.T) {
	for _, content := range []string{
		"", "a", "\n", "a\n", "a\nb", "a\r\nb\r\n", "\n\n\n", "a\n\nb\n", "\r", "a\r", "\r\n\r\n", "a\x00b\n\x00\n",
		"\xef\xbb\xbfa\nb\n",
		"\xef\xbb\xbf", "\xef\xbb", "one line that is longer than others\n2\n3\n", "a\rb\n\rc\n", "ä\nö\nü",
	} {
		t.Run(fmt.Sprintf("%q", content), func(t *testing.T) {
			twin(t, []byte(content), Lines(), text, scanned([]byte(content)))
		})
	}
}

// A function of the caller's parses lines. Its errors have file and line, or the line is skipped.
func TestLinesOf(t *testing.T) {
	number := func(line []byte) (int, error) { return strconv.Atoi(string(line)) }
	twin(t, []byte("1\n-2\r\n3"), LinesOf(number), strconv.Itoa, []string{"1", "-2", "3"})
	path := write(t, "data", []byte("1\nx\n3\n"))
	for _, ranks := range []int{1, 3} {
		_, err := ingest(ranks, LinesOf(number), strconv.Itoa, []string{path})
		require.ErrorContains(t, err, `data: line 2: strconv.Atoi: parsing "x": invalid syntax`)
		o, err := ingest(ranks, LinesOf(number), strconv.Itoa, []string{path}, Skip(1))
		require.NoError(t, err)
		require.Equal(t, []string{"1", "3"}, o.all())
	}
	_, err := ingest(2, LinesOf[int](nil), strconv.Itoa, []string{path})
	require.ErrorContains(t, err, "LinesOf has no function: give one")
}

// Lines of random lengths, in files of every kind, by 1 to 7 ranks.
func TestLinesCompressed(t *testing.T) {
	r := random(t)
	var b bytes.Buffer
	for range 60 {
		b.WriteString(strings.Repeat("x", r.IntN(30)) + []string{"\n", "\r\n"}[r.IntN(2)])
	}
	b.WriteString("the last one")
	want := scanned(b.Bytes())
	for name, content := range map[string][]byte{
		"plain": b.Bytes(), "gzip": gzipped1(t, b.Bytes()),
		"members": append(gzipped1(t, b.Bytes()[:300]), gzipped1(t, b.Bytes()[300:])...),
		"bgzf":    bgzf(t, b.Bytes(), 1+r.IntN(100)), "zstd": zstdFrames(t, b.Bytes(), b.Len()),
		"frames":    zstdFrames(t, b.Bytes(), 1+r.IntN(100)),
		"skippable": append([]byte("\x50\x2a\x4d\x18\x03\x00\x00\x00abc"), zstdFrames(t, b.Bytes(), 99)...),
	} {
		t.Run(name, func(t *testing.T) { twin(t, content, Lines(), text, want) })
	}
	few := b.Bytes()[:50]
	twin(t, zstdFrames(t, few, 1), Lines(), text, scanned(few))
	twin(t, bgzf(t, few, 1), Lines(), text, scanned(few))
}

// A file of frames is cut between them, and its ranks get about equal shares.
func TestFramesAreShared(t *testing.T) {
	content := []byte(strings.Repeat("a line of some bytes\n", 2000))
	for name, compressed := range map[string][]byte{
		"zstd": zstdFrames(t, content, 1000), "bgzf": bgzf(t, content, 1000),
	} {
		o, err := ingest(4, Lines(), text, []string{write(t, name, compressed)})
		require.NoError(t, err)
		for _, records := range o.records {
			require.InDelta(t, 500, len(records), 120, name)
		}
	}
}

// Lines that exceed the buffer, up to the limit.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("y", 3*windowBytes)
	path := write(t, "long", []byte("a\n"+long+"\r\nb\n"+long))
	for _, ranks := range []int{1, 2, 7} {
		o, err := ingest(ranks, Lines(), text, []string{path}, RowLimit(len(long)))
		require.NoError(t, err)
		require.Equal(t, []string{"a", long, "b", long}, o.all())
		_, err = ingest(ranks, Lines(), text, []string{path}, RowLimit(len(long)-1))
		require.Regexp(t, "long: line [24]: the record is longer than the limit", err.Error())
		o, err = ingest(ranks, Lines(), text, []string{path}, RowLimit(len(long)-1), Skip(2))
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b"}, o.all())
		require.Equal(t, int64(2), o.report.Skipped)
	}
}

func BenchmarkLines(b *testing.B) {
	for name, pack := range map[string]func([]byte) []byte{
		"plain": func(c []byte) []byte { return c },
		"zstd":  func(c []byte) []byte { return zstdFrames(b, c, 1<<20) },
		"bgzf":  func(c []byte) []byte { return bgzf(b, c, 65000) },
	} {
		b.Run(name, func(b *testing.B) {
			content := lineOfText(64 << 20)
			path := write(b, "lines", pack(content))
			in := whole(b, path)
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, readOne(in, Lines()))
			}
		})
	}
	b.Run("io.Copy", func(b *testing.B) {
		content := lineOfText(64 << 20)
		path := write(b, "lines", content)
		b.SetBytes(int64(len(content)))
		buf := make([]byte, windowBytes)
		for b.Loop() {
			f, err := os.Open(path)
			require.NoError(b, err)
			_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, buf)
			require.NoError(b, err)
			f.Close()
		}
	})
}

// lineOfText returns text of lines of 0 to 150 bytes.
func lineOfText(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d,%s,%d\n", i, strings.Repeat("word ", i*7919%29), i*i)
	}
	return b.Bytes()
}

// whole returns the input of one file for one rank.
func whole(t testing.TB, path string) *input {
	files, err := list([]string{path})
	require.NoError(t, err)
	require.NoError(t, files[0].look(nil, 1))
	return &input{options: defaults(), files: files}
}
