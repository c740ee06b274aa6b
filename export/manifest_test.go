package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// readFolder returns the number of lines of a folder, read by ranks.
func readFolder(ranks int, folder string, opts ...ingest.Option) (rows int64, err error) {
	err = run(ranks, func(r *pebble.Rank) error {
		in, err := ingest.Open(r, []string{folder}, ingest.Lines(), opts...)
		if err != nil {
			return err
		}
		for range in.All() {
		}
		report, err := in.Report()
		if r.ID() == 0 {
			rows = report.Rows
		}
		return err
	})
	return rows, err
}

// A folder matches its manifest, or is an error that names the part, both sizes and both sums.
func TestManifest(t *testing.T) {
	type harm func(part string, content []byte) error
	rewritten := func(change func(content []byte) []byte) harm {
		return func(part string, content []byte) error { return os.WriteFile(part, change(content), 0o600) }
	}
	beside := func(name string) harm {
		return func(part string, _ []byte) error {
			return os.WriteFile(filepath.Join(filepath.Dir(part), name), nil, 0o600)
		}
	}
	const sums = "sums" // stands for the text about both
	for name, c := range map[string]struct {
		harm harm
		want string
	}{
		"short":                {rewritten(func(content []byte) []byte { return content[:5] }), sums},
		"empty":                {rewritten(func([]byte) []byte { return nil }), sums},
		"longer":               {rewritten(func(content []byte) []byte { return append(content, 1) }), sums},
		"another byte":         {rewritten(func(content []byte) []byte { content[99]++; return content }), sums},
		"no longer compressed": {rewritten(func(content []byte) []byte { content[0]++; return content }), sums},
		"a bad header":         {rewritten(func(content []byte) []byte { content[4] = 0xff; return content }), sums},
		"missing": {func(part string, _ []byte) error { return os.Remove(part) },
			": is missing, and its folder's manifest lists it as a part, with %d bytes and the checksum %s: write"},
		"a folder": {func(part string, _ []byte) error { return errors.Join(os.Remove(part), os.Mkdir(part, 0o700)) },
			": is a folder, and its folder's manifest lists it as a part, with %d bytes and the checksum %s"},
		"a stranger":    {beside("part-00003"), "part-00003: is not in the folder's manifest: remove it"},
		"another's":     {beside("README"), "README: is not in the folder's manifest"},
		"a tool's file": {beside(".directory"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			_, err := write(3, 300, out, export.Lines(), line, export.Zstd())
			require.NoError(t, err)
			m, err := export.ReadManifest(out)
			require.NoError(t, err)
			p := m.Parts[1]
			part := filepath.Join(out, p.Name)
			content, err := os.ReadFile(part)
			require.NoError(t, err)
			require.NoError(t, c.harm(part, content))
			want := c.want
			switch {
			case want == sums:
				harmed, err := os.ReadFile(part)
				require.NoError(t, err)
				want = fmt.Sprintf("read %s: has %d bytes and the checksum crc32c:%08x, but %d and %s by the folder's",
					part, len(harmed), crc32.Checksum(harmed, crc32.MakeTable(crc32.Castagnoli)), p.Bytes, p.Checksum)
			case strings.Contains(want, "%"):
				want = part + fmt.Sprintf(want, p.Bytes, p.Checksum)
			}
			for _, ranks := range []int{1, 2, 5} {
				rows, err := readFolder(ranks, out)
				if want == "" {
					require.NoError(t, err)
					require.Equal(t, int64(900), rows)
					continue
				}
				require.ErrorContains(t, err, want, "%d ranks", ranks)
			}
		})
	}
}

// Unchecked parts are read as they are. Only their sizes and names are checked.
func TestUnchecked(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	m, err := write(2, 3, out, export.Lines(), line)
	require.NoError(t, err)
	part := filepath.Join(out, m.Parts[1].Name)
	content, err := os.ReadFile(part)
	require.NoError(t, err)
	content[0]++
	require.NoError(t, os.WriteFile(part, content, 0o600))
	_, err = readFolder(3, out)
	require.ErrorContains(t, err, "and the checksum")
	rows, err := readFolder(3, out, ingest.Unchecked())
	require.NoError(t, err)
	require.Equal(t, int64(6), rows)
	require.NoError(t, os.Truncate(part, 5))
	_, err = readFolder(3, out, ingest.Unchecked())
	require.ErrorContains(t, err, "has 5 bytes")
}

func TestDamagedManifest(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, err := write(1, 3, out, export.Lines(), line)
	require.NoError(t, err)
	for _, c := range []struct{ manifest, want string }{
		{"{", "manifest.json: unexpected end of JSON input: it is damaged, write the folder again"},
		{`{"Parts":[{"Name":"../x"}]}`, `the part "../x" is not in the folder: write the folder again`},
		{`{"Parts":[{"Name":"a/b"}]}`, `the part "a/b" is not in the folder`},
		{`{"Parts":[{"Name":""}]}`, `the part "" is not in the folder`},
		{`{"Parts":[{"Name":"."}]}`, `the part "." is not in the folder`},
		{`{"Parts":[{"Name":"a"},{"Name":"a"}]}`, `the part "a" is listed twice`},
		{`{"Parts":[{"Name":"a","Checksum":"md5:0"}]}`, `the part "a" has the checksum "md5:0", and only crc32c:`},
		{`{"Parts":[]}`, "part-00000-of-00001.txt: is not in the folder's manifest"},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(out, export.ManifestName), []byte(c.manifest), 0o600))
		_, err := readFolder(2, out)
		require.ErrorContains(t, err, c.want)
	}
}

// BenchmarkChecked measures the cost of checksums beside reading.
func BenchmarkChecked(b *testing.B) {
	text := bytes.Repeat([]byte("x"), 63)
	for name, opts := range map[string][]export.Option{"plain": nil, "zstd": {export.Zstd()}} {
		out := filepath.Join(b.TempDir(), name)
		require.NoError(b, run(2, func(r *pebble.Rank) error {
			sink := appstest.Must(export.Create(r, out, export.Lines(), opts...))
			defer sink.Abort()
			for i := range 2 << 20 {
				appstest.OK(sink.Write(fmt.Appendf(text[:0], "%056x", i*7919)))
			}
			_, err := sink.Close()
			return err
		}))
		for mode, opts := range map[string][]ingest.Option{"checked": nil, "unchecked": {ingest.Unchecked()}} {
			b.Run(name+"/"+mode, func(b *testing.B) {
				for b.Loop() {
					_, err := readFolder(2, out, opts...)
					require.NoError(b, err)
				}
			})
		}
	}
}
