package ingest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// Open reports unreadable files on all ranks, with the name and the remedy. Nothing hangs.
func TestNamesThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	file := func(name, content string) string {
		require.NoError(t, os.WriteFile(at(name), []byte(content), 0o600))
		return at(name)
	}
	file("a.txt", "a\n")
	require.NoError(t, os.Mkdir(at("empty"), 0o700))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	require.NoError(t, os.Symlink(at("loop"), at("loop")))
	require.NoError(t, os.Symlink(at("nowhere"), at("dangling")))
	require.NoError(t, os.Symlink(at("a.txt"), at("alias")))
	require.NoError(t, os.Link(at("a.txt"), at("second")))
	socket, err := net.Listen("unix", at("socket"))
	require.NoError(t, err)
	defer socket.Close()
	for _, c := range []struct {
		patterns []string
		want     string
	}{
		{nil, "no file is given: name a file or a pattern"},
		{[]string{""}, "a name is empty"},
		{[]string{at("nosuch")}, "nosuch: no such file: check the name"},
		{[]string{at("*.csv")}, "*.csv: no file matches: check the pattern"},
		{[]string{at("["), at("a.txt")}, "check the brackets"},
		{[]string{at("**/a.txt")}, "** is not supported: write one * for each level"},
		{[]string{at("empty")}, "empty: is a folder: name the files in it, as in " + at("empty/*")},
		{[]string{at("emp*")}, "empty: is a folder"},
		{[]string{at("pipe")}, "pipe: is a pipe, which ranks cannot share"},
		{[]string{at("socket")}, "socket: is a socket"},
		{[]string{"/dev/null"}, "/dev/null: is a device"},
		{[]string{"/dev/zero"}, "/dev/zero: is a device"},
		{[]string{file("a\nb.gz", "\x1f\x8b\x08")}, "a\nb.gz: decompress: "},
		{[]string{"-"}, "-: is standard input, which ranks cannot share"},
		{[]string{at("loop")}, "too many levels of symbolic links"},
		{[]string{at("dangling")}, "no such file"},
		{[]string{at("a.txt"), at("alias")}, "alias: is the same file as a.txt: name it " +
			"once"},
		{[]string{at("second"), at("a.txt")}, "a.txt: is the same file as"},
		{[]string{at("a.txt/b")}, "not a directory"},
		{[]string{file("utf16", "\xff\xfea\x00")}, "utf16: the text is UTF-16: convert it to UTF-8"},
		{[]string{file("bz", "BZh91AY&SY...")}, "bz: compression by bzip2 is not supported: use zstd"},
		{[]string{file("xz", "\xfd7zXZ\x00..")}, "compression by xz"},
		{[]string{file("lz4", "\x04\x22\x4d\x18")}, "compression by lz4"},
		{[]string{file("zip", "PK\x03\x04")}, "compression by zip"},
		{[]string{file("gz", "\x1f\x8b\x08")}, "gz: decompress: unexpected EOF: the file is truncated"},
		{[]string{file("gz2", "\x1f\x8b\x08\x00"+strings.Repeat("x", 50))}, "gz2: decompress:"},
		{[]string{file("zst", "\x28\xb5\x2f\xfd")}, "zst: decompress:"},
		{[]string{file("zst2", "\x28\xb5\x2f\xfd"+strings.Repeat("\xff", 50))}, "zst2: decompress:"},
	} {
		for _, ranks := range []int{1, 3} {
			_, err := ingest(ranks, Lines(), text, c.patterns)
			require.ErrorContains(t, err, c.want)
		}
	}
	_, err = ingest(2, Lines(), text, []string{at("a.txt")}, RowLimit(0))
	require.ErrorContains(t, err, "the row limit is 0 bytes: expected at least 1")
}

// Odd but valid: empty files, one name twice, names that look like patterns, folders in patterns.
func TestOddButGood(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"a.txt": "a\n", "b.txt": "", "c[1].txt": "c", "d.txt": "\n",
		"sub/e.txt": "e\n", "f\ng": "f\n"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	at := func(names ...string) (all []string) {
		for _, name := range names {
			all = append(all, filepath.Join(folder, name))
		}
		return all
	}
	for _, c := range []struct{ patterns, want []string }{
		{at("b.txt"), nil}, {at("*.txt"), []string{"a", "c", ""}}, {at("c[1].txt"), []string{"c"}}, {at("a.txt",
			"*.txt", "./a.txt"), []string{"a", "c", ""}},
		{at("*/*.txt"), []string{"e"}}, {at("f*"), []string{"f"}},
		{at("a*", "[a-b].txt"), []string{"a"}}, {at("d.txt", "a.txt"), []string{"", "a"}},
	} {
		for _, ranks := range []int{1, 2, 7} {
			o, err := ingest(ranks, Lines(), text, c.patterns)
			require.NoError(t, err)
			require.ElementsMatch(t, c.want, o.all(), c.patterns)
		}
	}
}

// A file that grows is read up to its size at Open. A truncated file is an error that names it.
func TestFilesThatChange(t *testing.T) {
	for _, packed := range []bool{false, true} {
		content := []byte(strings.Repeat("a line\n", 1000))
		if packed {
			content = zstdFrames(t, content, 500)
		}
		for name, c := range map[string]struct {
			size int64
			want string
		}{"grows": {int64(len(content)) + 100, ""}, "cut": {int64(len(content)) / 2,
			"data: the file was truncated while the job read it; it had"}} {
			t.Run(fmt.Sprint(name, packed), func(t *testing.T) {
				path := write(t, "data", content)
				ranks1(t, func(r *pebble.Rank) {
					in, err := Open(r, []string{path}, Lines())
					require.NoError(t, err)
					require.NoError(t, os.Truncate(path, c.size))
					rows := 0
					for range in.All() {
						rows++
					}
					if c.want != "" {
						require.ErrorContains(t, in.Err(), c.want)
						_, err = in.Report()
						require.ErrorContains(t, err, c.want)
						return
					}
					require.NoError(t, in.Err())
					require.Equal(t, 1000, rows)
				})
			})
		}
	}
}

// A loop that is left, or whose file is truncated during the loop, leaves nothing behind. Another loop reads all again.
func TestLoops(t *testing.T) {
	const rows = 12_000 // more than one read returns
	path := write(t, "data", []byte(strings.Repeat(strings.Repeat("a line", 20)+"\n", rows)))
	ranks1(t, func(r *pebble.Rank) {
		in, err := Open(r, []string{path}, Lines())
		require.NoError(t, err)
		require.Equal(t, []string{path}, in.Files())
		for range in.All() {
			break
		}
		require.NoError(t, in.Err())
		n := 0
		for range in.All() {
			n++
		}
		require.Equal(t, rows, n)
		report, err := in.Report()
		require.NoError(t, err)
		require.Equal(t, int64(rows), report.Rows)
		open := openFiles(t)
		for range in.All() {
			require.NoError(t, os.Truncate(path, 10))
		}
		require.ErrorContains(t, in.Err(), "the file was truncated while the job read it")
		require.Equal(t, open, openFiles(t))
		require.NoError(t, os.Remove(path))
		for range in.All() {
		}
		require.ErrorContains(t, in.Err(), "check the name")
	})
}

// openFiles returns the number of this process's open files.
func openFiles(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// A bomb of one line is an error at the limit. One of many lines is read. Both need little memory.
func TestBombs(t *testing.T) {
	const many = 128 << 20
	for name, pack := range map[string]func(content []byte) []byte{
		"gzip": func(content []byte) []byte { return gzipped1(t, content) },
		"zstd": func(content []byte) []byte { return zstdFrames(t, content, len(content)) },
	} {
		for _, c := range []struct {
			unit string
			size int64
			want string
		}{{"\x00", 1 << 30, "bomb: line 1: the record is longer than the limit"}, {strings.Repeat("0123456 ",
			15) + "0123456\n", many, ""}} {
			t.Run(fmt.Sprintf("%s %.8q", name, c.unit), func(t *testing.T) {
				const part = 16 << 20
				packed := pack([]byte(strings.Repeat(c.unit, part/len(c.unit)))) // repeated again and again
				in := whole(t, write(t, "bomb", bytes.Repeat(packed, int(c.size/part))))
				in.rowLimit = 1 << 20
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := readOne(in, Lines())
				runtime.ReadMemStats(&after)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
				if c.want != "" {
					require.ErrorContains(t, err, c.want)
					return
				}
				require.NoError(t, err)
				require.Equal(t, c.size/128, in.Rows)
			})
		}
	}
}

// A gibibyte of NULs without a line end, like a file without blocks: the rank that reads it reports the limit.
func TestSparseLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse")
	require.NoError(t, os.WriteFile(path, []byte("a\n"), 0o600))
	require.NoError(t, os.Truncate(path, 1<<27))
	_, err := ingest(3, Lines(), text, []string{path}, RowLimit(1<<20))
	require.ErrorContains(t, err, "sparse: line 2: the record is longer than the limit: raise ingest.RowLimit")
	o, err := ingest(3, Lines(), text, []string{path}, RowLimit(1<<20), Skip(1))
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, o.all())
	_, err = ingest(3, Rows(NoHeader()), fields, []string{path}, RowLimit(1<<20))
	require.ErrorContains(t, err, "sparse: line 2: the record is longer than the limit")
}

// Compressed files that end too early are errors, wherever they end.
func TestCutCompressed(t *testing.T) {
	content := []byte(strings.Repeat("some line of text\n", 20))
	for name, packed := range map[string][]byte{"gzip": gzipped1(t, content), "zstd": zstdFrames(t, content, 1000)} {
		for n := 1; n < len(packed); n++ {
			o, err := ingest(1, Lines(), text, []string{write(t, name, packed[:n])})
			if n >= 4 {
				require.ErrorContains(t, err, "decompress", "%s cut at %d", name, n)
			} else if err == nil {
				require.NotEmpty(t, o.all()) // too short to recognize: a line
			}
		}
	}
}
