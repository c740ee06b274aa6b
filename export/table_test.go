package export_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// sample returns a table with values that need care in formats.
func sample(from, to int) []export.Column {
	ints, uints, floats, texts, nulls := []int64{}, []uint64{}, []float64{}, []string{}, []bool{}
	for i := from; i < to; i++ {
		ints = append(ints, int64(-i))
		uints = append(uints, uint64(i)<<40)
		floats = append(floats, 1/float64(i+1))
		texts = append(texts, []string{"", "a,b", "\"", "two\r\nlines", " x", "ä", "\x01\t", "plain"}[i%8])
		nulls = append(nulls, i%3 == 1)
	}
	return []export.Column{{Name: "i", Values: ints}, {Name: "u", Values: uints}, {Name: "f", Values: floats},
		{Name: "t", Values: texts}, {Name: "n", Values: ints, Null: nulls}}
}

// writeTable writes the first n rows of a table. Each rank gives a share, in batches of limited size.
func writeTable(t testing.TB, ranks, n, atOnce int, name string, table func(from, to int) []export.Column,
	opts ...export.Option) (m *export.Manifest, err error) {
	t.Helper()
	err = run(ranks, func(r *pebble.Rank) error {
		out, err := export.CreateTable(r, name, append(opts, export.Also(parquet.Table()))...)
		if err != nil {
			return err
		}
		defer out.Abort()
		from, to := r.ID()*n/ranks, (r.ID()+1)*n/ranks
		_ = out.Write(table(from, from))
		for ; from < to; from += atOnce {
			_ = out.Write(table(from, min(from+atOnce, to)))
		}
		got, err := out.Close()
		if r.ID() == 0 {
			m = got
		}
		return err
	})
	return m, err
}

const (
	asCSV = "i,u,f,t,n\n0,0,1,,0\n-1,1099511627776,0.5,\"a,b\",\n" +
		"-2,2199023255552,0.3333333333333333,\"\"\"\",-2\n-3,3298534883328,0.25,\"two\r\nlines\",-3\n"
	asTSV = "i\tu\tf\tt\tn\n0\t0\t1\t\t0\n-1\t1099511627776\t0.5\ta,b\t\n" +
		"-2\t2199023255552\t0.3333333333333333\t\"\"\"\"\t-2\n-3\t3298534883328\t0.25\t\"two\r\nlines\"\t-3\n"
	asJSON = `{"i":0,"u":0,"f":1,"t":"","n":0}` + "\n" + `{"i":-1,"u":1099511627776,"f":0.5,"t":"a,b","n":null}` + "\n" +
		`{"i":-2,"u":2199023255552,"f":0.3333333333333333,"t":"\"","n":-2}` + "\n" +
		`{"i":-3,"u":3298534883328,"f":0.25,"t":"two\r\nlines","n":-3}` + "\n"
)

// Text has the same bytes for any number of ranks, compressed or not.
func TestTableAsText(t *testing.T) {
	unpack := map[string]func(r io.Reader) (io.Reader, error){
		"":     func(r io.Reader) (io.Reader, error) { return r, nil },
		".gz":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		".zst": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
	}
	for extension, want := range map[string]string{".csv": asCSV, ".tsv": asTSV, ".jsonl": asJSON} {
		for packed, by := range unpack {
			for _, ranks := range []int{1, 2, 4, 7} {
				out := filepath.Join(t.TempDir(), "out"+extension+packed)
				m, err := writeTable(t, ranks, 4, 1, out, sample)
				require.NoError(t, err)
				content, err := os.ReadFile(out)
				require.NoError(t, err)
				require.EqualValues(t, 4, m.Rows)
				require.EqualValues(t, len(content), m.Bytes)
				r, err := by(bytes.NewReader(content))
				require.NoError(t, err)
				text, err := io.ReadAll(r)
				require.NoError(t, err)
				require.Equal(t, want, string(text), "%s on %d ranks", out, ranks)
			}
		}
	}
}

// A name with a final slash is a folder of parts, each with a header.
func TestTableAsFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	m, err := writeTable(t, 2, 4, 100, out+"/", sample)
	require.NoError(t, err)
	require.EqualValues(t, 4, m.Rows)
	text := ""
	for _, p := range m.Parts {
		content, err := os.ReadFile(filepath.Join(out, p.Name))
		require.NoError(t, err)
		text += strings.TrimPrefix(string(content), "i,u,f,t,n\n")
	}
	require.Equal(t, asCSV, "i,u,f,t,n\n"+text)
}

func TestTableRefuses(t *testing.T) {
	folder := t.TempDir()
	for name, want := range map[string]string{
		"":             "use one of .csv, .tsv, .jsonl, .avro, .parquet; .csv, .tsv, .jsonl also with .gz or .zst",
		"scores":       "the extension does not name a format",
		"scores.xlsx":  "the extension does not name a format",
		"a.csv.bz2":    "the extension does not name a format",
		"a.gz":         "the extension does not name a format",
		"a.avro.gz":    ".avro compresses by itself: leave .gz out",
		"a.parquet.gz": ".parquet compresses by itself: leave .gz out",
	} {
		err := export.CheckTable(name, export.Also(parquet.Table()))
		require.ErrorContains(t, err, want, name)
	}
	require.NoError(t, export.CheckTable("a.b/c.jsonl.zst/"))
	column := func(c export.Column) func(from, to int) []export.Column {
		return func(int, int) []export.Column { return []export.Column{c} }
	}
	odd := export.Column{Name: "x", Values: []string{"\xff"}}
	turn := 0
	for name, c := range map[string]struct {
		table func(from, to int) []export.Column
		want  string
	}{
		"a.csv": {func(int, int) []export.Column { return nil }, "a batch has no column"},
		"b.csv": {column(export.Column{Name: "x", Values: []byte{1}}), `column "x" is a []uint8: give a []int64`},
		"c.csv": {column(export.Column{Name: "x", Values: []int64{1}, Null: []bool{}}), "has 1 values and 0 marks"},
		"d.csv": {func(int, int) []export.Column {
			if turn++; turn%2 == 1 {
				return []export.Column{{Name: "x", Values: []int64{}}}
			}
			return []export.Column{{Name: "x", Values: []uint64{}}}
		}, `column "x" has []uint64, and had []int64 in the batch before`},
		"e.jsonl":   {column(export.Column{Name: "x", Values: []float64{math.Inf(1)}}), "is +Inf, which JSON does not have"},
		"f.jsonl":   {column(odd), "which is not UTF-8: choose .csv or .tsv"},
		"g.avro":    {column(odd), "which is not UTF-8: choose .csv or .tsv"},
		"h.parquet": {column(odd), "which is not UTF-8: choose .csv or .tsv"},
		"i.avro":    {column(export.Column{Name: "x", Values: []uint64{1 << 63}}), "Avro's largest is 2^63-1"},
		"j.avro":    {column(export.Column{Name: "a b", Values: []uint64{}}), "the columns make no Avro schema"},
	} {
		turn = 0
		_, err := writeTable(t, 1, 1, 1, filepath.Join(folder, name), c.table)
		require.ErrorContains(t, err, c.want, name)
	}
	err := run(2, func(r *pebble.Rank) error {
		out := appstest.Must(export.CreateTable(r, filepath.Join(folder, "none.csv")))
		defer out.Abort()
		_, err := out.Close()
		return err
	})
	require.ErrorContains(t, err, "no batch was written")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left, fmt.Sprint(left))
}
