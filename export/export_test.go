package export_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// run runs a job of ranks.
func run(ranks int, f func(r *pebble.Rank) error) error {
	return pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, f)
}

// write makes each rank write n records; those of rank i are made from i*1000 on.
func write[T any](ranks, n int, name string, format export.Format[T], record func(i int) T,
	opts ...export.Option) (m *export.Manifest, err error) {
	err = run(ranks, func(r *pebble.Rank) error {
		out, err := export.Create(r, name, format, opts...)
		if err != nil {
			return err
		}
		defer out.Abort()
		for i := range n {
			if err := out.Write(record(r.ID()*1000 + i)); err != nil {
				return err
			}
		}
		of, err := out.Close()
		if r.ID() == 0 {
			m = of
		}
		return err
	})
	return m, err
}

// read reads files by another number of ranks.
func read[T any](t *testing.T, ranks int, name string, format ingest.Format[T]) (all []string) {
	var lock sync.Mutex
	require.NoError(t, run(ranks, func(r *pebble.Rank) error {
		in := appstest.Must(ingest.Open(r, []string{name}, format))
		for v := range in.All() {
			lock.Lock()
			all = append(all, fmt.Sprintf("%q", fmt.Sprint(v)))
			lock.Unlock()
		}
		_, err := in.Report()
		return err
	}))
	sort.Strings(all)
	return all
}

type thing struct {
	Name  string `csv:"name"`
	N     int
	Score float64   `csv:"score,optional"`
	At    time.Time `csv:"at" avro:"-"`
}

// things returns records with values that need care in formats.
func things(i int) thing {
	return thing{[]string{"", "a,b", "\"", "two\nlines", " x", "ä", "\x01", "-"}[i%8] + strings.Repeat("z", i%5), i,
		float64(i%3) / 4, time.Unix(int64(i), 0).UTC()}
}

func line(i int) []byte { return fmt.Appendf(nil, "line %d", i) }

// kinds has all formats: each function writes records and reads them back.
var kinds = map[string]func(t *testing.T, ranks, n int, name string, opts ...export.Option) (*export.Manifest, error){
	"lines": func(t *testing.T, ranks, n int, name string, opts ...export.Option) (*export.Manifest, error) {
		return there(t, ranks, n, name, export.Lines(), ingest.Lines(), line, opts...)
	},
	"json": func(t *testing.T, ranks, n int, name string, opts ...export.Option) (*export.Manifest, error) {
		return there(t, ranks, n, name, export.JSONLines[thing](), ingest.JSONLines[thing](), things, opts...)
	},
	"csv": func(t *testing.T, ranks, n int, name string, opts ...export.Option) (*export.Manifest, error) {
		return there(t, ranks, n, name, export.CSV[thing](0), ingest.CSV[thing](), things, opts...)
	},
	"tsv": func(t *testing.T, ranks, n int, name string, opts ...export.Option) (*export.Manifest, error) {
		return there(t, ranks, n, name, export.CSV[thing]('\t'), ingest.CSV[thing](ingest.Comma('\t')), things, opts...)
	},
	"avro": func(t *testing.T, ranks, n int, name string, opts ...export.Option) (*export.Manifest, error) {
		c := avro.Must[thing]()
		return there(t, ranks, n, name, export.AvroOf(c, export.Zstandard), ingest.AvroOf(c), func(i int) thing {
			v := things(i)
			v.At = time.Time{}
			return v
		}, opts...)
	},
}

// there writes records and reads them back.
func there[T any](t *testing.T, ranks, n int, name string, to export.Format[T], from ingest.Format[T],
	record func(i int) T, opts ...export.Option) (*export.Manifest, error) {
	m, err := write(ranks, n, name, to, record, opts...)
	if err != nil {
		return nil, err
	}
	var want []string
	for rank := range ranks {
		for i := range n {
			want = append(want, fmt.Sprintf("%q", fmt.Sprint(record(rank*1000+i))))
		}
	}
	sort.Strings(want)
	for _, readers := range []int{1, 3} {
		require.Equal(t, want, read(t, readers, name, from))
	}
	return m, nil
}

// Ranks read back what other ranks have written, in parts or one file, compressed or not, for any numbers of ranks.
func TestThereAndBack(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			for _, ranks := range []int{1, 2, 4, 7} {
				for _, n := range []int{0, 1, 50} {
					for i, opts := range [][]export.Option{nil, {export.OneFile()}, {export.Zstd()}, {export.OneFile(),
						export.Zstd()}} {
						if name == "avro" && i >= 2 {
							continue
						}
						out := filepath.Join(t.TempDir(), "out")
						m, err := kind(t, ranks, n, out, opts...)
						require.NoError(t, err)
						require.Equal(t, int64(ranks*n), m.Rows)
						whole(t, out, m, i%2 == 1)
					}
				}
			}
		})
	}
}

// whole checks that a manifest matches the files, and that there are no others.
func whole(t *testing.T, out string, m *export.Manifest, oneFile bool) {
	t.Helper()
	alone(t, filepath.Dir(out), filepath.Base(out))
	if oneFile {
		info, err := os.Stat(out)
		require.NoError(t, err)
		require.Equal(t, []export.Part{{Name: "out", Rows: m.Rows, Bytes: info.Size()}}, m.Parts)
		return
	}
	of, err := export.ReadManifest(out)
	require.NoError(t, err)
	require.Equal(t, m, of)
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, entries, len(m.Parts)+1)
	for rank, p := range m.Parts {
		content, err := os.ReadFile(filepath.Join(out, p.Name))
		require.NoError(t, err)
		require.Equal(t, rank, p.Rank)
		require.Equal(t, int64(len(content)), p.Bytes)
		require.Equal(t, fmt.Sprintf("crc32c:%08x", crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli))),
			p.Checksum)
	}
}

// One file is in the order of ranks.
func TestOrder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	type numbered struct {
		N int `csv:"n"`
	}
	_, err := write(4, 3, out, export.CSV[numbered](0), func(i int) numbered { return numbered{i} }, export.OneFile())
	require.NoError(t, err)
	content, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "n\n0\n1\n2\n1000\n1001\n1002\n2000\n2001\n2002\n3000\n3001\n3002\n", string(content))
}

// Large parts are compressed in frames. Ranks share a file by its frames.
func TestFrames(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	letter := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 1<<20) }
	m, err := write(1, 12, out, export.Lines(), letter, export.Zstd(), export.OneFile())
	require.NoError(t, err)
	require.Less(t, m.Bytes, int64(1<<20))
	rows := [3]int{}
	require.NoError(t, run(3, func(r *pebble.Rank) error {
		in := appstest.Must(ingest.Open(r, []string{out}, ingest.Lines()))
		for range in.All() {
			rows[r.ID()]++
		}
		return in.Err()
	}))
	require.NotContains(t, rows, 0)
}

// An existing output is kept, unless Replace is set.
func TestReplace(t *testing.T) {
	for _, opts := range [][]export.Option{nil, {export.OneFile()}} {
		folder := t.TempDir()
		out := filepath.Join(folder, "out")
		_, err := write(2, 1, out, export.Lines(), line, opts...)
		require.NoError(t, err)
		_, err = write(2, 2, out, export.Lines(), line, opts...)
		require.ErrorContains(t, err, "it exists already: remove it, choose another name, or set --replace")
		require.Len(t, read(t, 1, out, ingest.Lines()), 2)
		_, err = write(3, 2, out, export.Lines(), line, append(opts, export.Replace())...)
		require.NoError(t, err)
		require.Len(t, read(t, 1, out, ingest.Lines()), 6)
		alone(t, folder, "out")
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "mine"), nil, 0o600))
	_, err := write(2, 1, folder, export.Lines(), line, export.Replace())
	require.ErrorContains(t, err, "not an output of this call, so it is not replaced")
	_, err = write(2, 1, filepath.Join(folder, "mine"), export.Lines(), line, export.Replace())
	require.ErrorContains(t, err, "not an output of this call")
	alone(t, folder, "mine")
}

// alone checks that a folder holds only the given names.
func alone(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	require.Equal(t, names, there)
}

// An error on one rank is an error on all ranks, with a text, and no output remains.
func TestNothingIsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r *pebble.Rank, out *export.Sink[[]byte]) error
		want string
	}{
		"a rank returns": {func(r *pebble.Rank, _ *export.Sink[[]byte]) error {
			if r.ID() == 1 {
				return errors.New("a rank's own")
			}
			return r.Barrier()
		}, "a rank's own"},
		"a rank panics": {func(r *pebble.Rank, _ *export.Sink[[]byte]) error {
			if r.ID() == 1 {
				panic("a rank's own")
			}
			return r.Barrier()
		}, "a rank's own"},
		"a record is refused": {func(r *pebble.Rank, out *export.Sink[[]byte]) error {
			if r.ID() == 1 {
				_ = out.Write([]byte("a\nb")) // the sink keeps the error
			}
			_, err := out.Close()
			return err
		}, "a line has a line break in it"},
		"written after the end": {func(_ *pebble.Rank, out *export.Sink[[]byte]) error {
			out.Abort()
			return out.Write(nil)
		}, "it is closed: write before Close or Abort"},
		"closed twice": {func(_ *pebble.Rank, out *export.Sink[[]byte]) error {
			out.Abort()
			_, err := out.Close()
			return err
		}, "it is closed already, or given up"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, opts := range [][]export.Option{nil, {export.OneFile(), export.Zstd()}} {
				folder := t.TempDir()
				err := run(3, func(r *pebble.Rank) error {
					out := appstest.Must(export.Create(r, filepath.Join(folder, "out"), export.Lines(), opts...))
					defer out.Abort()
					appstest.OK(out.Write([]byte("a")))
					appstest.OK(r.Barrier())
					return c.do(r, out)
				})
				require.ErrorContains(t, err, c.want)
				alone(t, folder)
			}
		})
	}
}

func TestCreateRefuses(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, want := range map[string]string{
		filepath.Join(folder, "nosuch", "out"): "create the folder that contains it",
		filepath.Join(file, "out"):             "not a directory",
		folder:                                 "it exists already",
		filepath.Join(folder, strings.Repeat("x", 300)): "file name too long",
	} {
		_, err := write(2, 1, name, export.Lines(), line)
		require.ErrorContains(t, err, want)
	}
	out := filepath.Join(folder, "out")
	_, err := write(2, 1, out, export.AvroOf(avro.Must[thing](), "bzip2"), things)
	require.ErrorContains(t, err, `blocks are compressed by "bzip2"`)
	_, err = write(2, 1, out, export.AvroOf(avro.Must[thing](), export.Null), things, export.Zstd())
	require.ErrorContains(t, err, "compresses by itself: leave export.Zstd out")
	_, err = write(2, 1, out, export.CSV[int](0), func(i int) int { return i })
	require.ErrorContains(t, err, "int is not a struct")
	_, err = write(2, 1, out, export.CSV[thing]('"'), things)
	require.ErrorContains(t, err, "cannot separate fields")
	_, err = export.Avro("{", export.Null)
	require.ErrorContains(t, err, "the schema")
	alone(t, folder, "file")
}
