package ingest

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// random is a source of random numbers with the seed that the test prints.
func random(t *testing.T) *rand.Rand {
	return rand.New(rand.NewPCG(seeds.Of(t), 1))
}

// write writes a file in a temporary folder of the test.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// outcome is the records that ranks have read, by rank, and the report.
type outcome[R any] struct {
	records [][]R
	report  Report
}

// all returns the records of all ranks, in the order of ranks.
func (o outcome[R]) all() []R { return slices.Concat(o.records...) }

// ingest makes ranks read files, and keeps the result of keep for each record.
func ingest[T, R any](ranks int, format Format[T], keep func(T) R, patterns []string, opts ...Option) (outcome[R],
	error) {
	o := outcome[R]{records: make([][]R, ranks)}
	var lock sync.Mutex
	err := pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		in, err := Open(r, patterns, format, opts...)
		if err != nil {
			return err
		}
		err = r.Epoch(func() error {
			for v := range in.All() {
				o.records[r.ID()] = append(o.records[r.ID()], keep(v))
			}
			return in.Err()
		})
		if err != nil {
			return err
		}
		report, err := in.Report()
		lock.Lock()
		defer lock.Unlock()
		o.report = report
		return err
	})
	return o, err
}

// ranks1 runs a job of one rank.
func ranks1(t testing.TB, f func(r *pebble.Rank)) {
	require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: 1},
		func(r *pebble.Rank) error { f(r); return nil }))
}

// cutAt cuts each file at places, where it can be cut. The pieces go to ranks in turn.
func cutAt(places func(f file) []int64) Option {
	return option(func(o *options) {
		o.deal = func(files []file, ranks int) [][]piece {
			all, n := make([][]piece, ranks), 0
			for i, f := range files {
				from := int64(0)
				for _, to := range append(places(f), f.Size) {
					if from < to {
						all[n%ranks] = append(all[n%ranks], piece{i, from, to})
						n++
					}
					from = to
				}
			}
			return all
		}
	})
}

// everywhere cuts at every possible place.
func everywhere() Option {
	return cutAt(func(f file) (at []int64) {
		if !f.anywhere() {
			return slices.Clone(f.Cuts)
		}
		for i := int64(1); i < f.Size; i++ {
			at = append(at, i)
		}
		return at
	})
}

// once cuts at one place: a plain file at that byte, others at a possible cut.
func once(at int64) Option {
	return cutAt(func(f file) []int64 {
		switch {
		case f.anywhere():
			return []int64{min(at, f.Size)}
		case at < int64(len(f.Cuts)):
			return f.Cuts[at : at+1]
		}
		return nil
	})
}

// twin compares the records of ranks with those of a plain loop: with every cut, with each cut alone, and with the
// usual deal.
func twin[T any](t *testing.T, content []byte, format Format[T], keep func(T) string, want []string, opts ...Option) {
	t.Helper()
	path := write(t, "data", content)
	one, err := ingest(1, format, keep, []string{path}, append(opts, everywhere())...)
	require.NoError(t, err)
	require.Equal(t, want, one.all(), "cut at every place")
	ranks1(t, func(r *pebble.Rank) {
		for at := range min(int64(len(content)), 150) {
			in, err := Open(r, []string{path}, format, append(opts, once(at))...)
			require.NoError(t, err)
			var got []string
			for v := range in.All() {
				got = append(got, keep(v))
			}
			require.NoError(t, in.Err())
			require.Equal(t, want, got, "cut at %d", at)
		}
	})
	for _, ranks := range []int{1, 2, 4, 7} {
		many, err := ingest(ranks, format, keep, []string{path}, opts...)
		require.NoError(t, err)
		require.Equal(t, want, many.all(), "%d ranks", ranks)
		require.Equal(t, int64(len(want)), many.report.Rows)
		require.Equal(t, int64(len(content)), many.report.Bytes)
	}
}

// zstdFrames compresses in frames of the given number of bytes.
func zstdFrames(t testing.TB, content []byte, frame int) []byte {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	defer e.Close()
	var out []byte
	for chunk := range slices.Chunk(content, frame) {
		out = e.EncodeAll(chunk, out)
	}
	return out
}

// gzipped1 compresses to one member.
func gzipped1(t testing.TB, content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(content)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// bgzf compresses in blocks of the given number of bytes with their lengths in the headers, and an empty block at the
// end.
func bgzf(t testing.TB, content []byte, block int) (out []byte) {
	for _, chunk := range append(slices.Collect(slices.Chunk(content, block)), nil) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Extra = []byte("BC\x02\x00\x00\x00")
		_, err := z.Write(chunk)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		binary.LittleEndian.PutUint16(b.Bytes()[16:], uint16(b.Len()-1))
		out = append(out, b.Bytes()...)
	}
	return out
}

// readOne reads all of one file on one rank.
func readOne[T any](in *input, format Format[T]) error {
	r, err := format.open(in)
	if err != nil {
		return err
	}
	if c, ok := r.(interface{ layout(int) (layout, error) }); ok {
		l, err := c.layout(0)
		if err != nil {
			return err
		}
		r.(interface{ lay(layout) }).lay(l)
	}
	return r.read(piece{0, 0, in.files[0].Size}, func(T) bool { return true })
}

func (c *csvReader[T]) lay(l layout) { c.layouts = map[int]layout{0: l} }
