package ingest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

type pair struct {
	Name string
	N    int64
}

// pairs returns a file of pairs written by goavro, with block records in a block.
func pairs(t testing.TB, n, block int, codec string) (file []byte, want []string) {
	var b bytes.Buffer
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: &b, Schema: avro.Must[pair]().Schema(), CompressionName: codec})
	require.NoError(t, err)
	for i := 0; i < n; i += block {
		var all []any
		for j := i; j < min(n, i+block); j++ {
			all = append(all, map[string]any{"Name": fmt.Sprint("name ", j), "N": int64(j)})
			want = append(want, fmt.Sprint(pair{fmt.Sprint("name ", j), int64(j)}))
		}
		require.NoError(t, w.Append(all))
	}
	return b.Bytes(), want
}

func TestAvro(t *testing.T) {
	for _, c := range []struct {
		codec string
		n     int
	}{{"null", 0}, {"null", 100}, {"deflate", 1}, {"deflate", 50}, {"snappy", 50}} {
		file, want := pairs(t, c.n, 7, c.codec)
		twin(t, file, AvroOf(avro.Must[pair]()), func(v pair) string { return fmt.Sprint(v) }, want)
		twin(t, file, Avro(), func(v any) string {
			m := v.(map[string]any)
			return fmt.Sprint(pair{m["Name"].(string), m["N"].(int64)})
		}, want)
	}
}

func TestAvroMistakes(t *testing.T) {
	file, _ := pairs(t, 100, 7, "deflate")
	read := func(content []byte, opts ...Option) error {
		path := write(t, "data", content)
		_, err := ingest(2, AvroOf(avro.Must[pair]()), func(v pair) pair { return v }, []string{path}, opts...)
		return err
	}
	require.ErrorContains(t, read(file[:len(file)-20]), "the file is truncated: write it again")
	require.ErrorContains(t, read(gzipped1(t, file)), "the file is compressed as a whole")
	require.ErrorContains(t, read(file, RowLimit(10)), "more bytes than the limit: raise ingest.RowLimit")
	damaged := bytes.Clone(file)
	damaged[len(damaged)-1]++
	require.ErrorContains(t, read(damaged), "does not end with the sync marker of the header")
}

func FuzzAvro(f *testing.F) {
	file, _ := pairs(f, 10, 3, "deflate")
	f.Add(file)
	f.Fuzz(func(t *testing.T, content []byte) {
		r := Range{bytes.NewReader(content), int64(len(content)), 0, int64(len(content)), 1 << 16, nil}
		if _, err := findAvro(r.File, r.Size); err != nil {
			return
		}
		for range AvroOf(avro.Must[pair]()).blocks(r) {
		}
	})
}

func BenchmarkAvro(b *testing.B) {
	file, _ := pairs(b, 200_000, 5000, "null")
	path := write(b, "avro", file)
	for name, read := range map[string]func(in *input) error{
		"natives": func(in *input) error { return readOne(in, Avro()) },
		"structs": func(in *input) error { return readOne(in, AvroOf(avro.Must[pair]())) },
	} {
		b.Run(name, func(b *testing.B) {
			in := whole(b, path)
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				require.NoError(b, read(in))
			}
		})
	}
}

// blocks reads a range.
func (f Format[T]) blocks(r Range) func(func(T, error) bool) {
	opened, err := f.open(nil)
	if err != nil {
		panic(err)
	}
	return opened.(blocks[T]).each(r)
}

// blocksOf returns the offsets of the blocks of an Avro file.
func blocksOf(t testing.TB, file []byte) []int64 {
	starts, err := findAvro(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	return starts
}

// A damaged block is skipped and counted, and the others are read, by any number of ranks. The header must be whole.
func TestAvroSkip(t *testing.T) {
	const n, block, third = 100, 7, 2 // blocks have 7 records each; the third one is damaged
	for _, codec := range []string{"null", "deflate", "snappy"} {
		file, want := pairs(t, n, block, codec)
		starts := blocksOf(t, file)
		at, next := starts[third], starts[third+1]
		without := append(slices.Clone(want[:third*block]), want[(third+1)*block:]...)
		for name, c := range map[string]struct {
			harm func(file []byte) []byte
			want []string
			lost int64 // blocks
			told string
		}{
			"mark":  {func(f []byte) []byte { f[next-1]++; return f }, without, 1, "it does not end with the sync marker"},
			"count": {func(f []byte) []byte { f[at] = 1; return f }, without, 1, "its header is invalid"},
			"too many": {func(f []byte) []byte { return slices.Replace(f, int(at), int(at)+1, 0xfe, 0xff, 0xff, 0x7f) },
				without, 1, "records: the file is damaged"},
			"size": {func(f []byte) []byte { f[at+1] ^= 0x40; return f }, without, 1, "it does not end with the sync marker"},
			"size beyond": {func(f []byte) []byte { return slices.Replace(f, int(at)+1, int(at)+2, 0xfe, 0xff, 0x7f) },
				without, 1, "the file is truncated"},
			"cut out": {func(f []byte) []byte { return slices.Delete(f, int(at)+3, int(at)+9) }, without, 1, ""},
			"put in": {func(f []byte) []byte { return slices.Insert(f, int(at)+3, make([]byte, 300_000)...) }, without,
				1, ""},
			"end": {func(f []byte) []byte { return f[:len(f)-1] }, want[:n-n%block], 1, "the file is truncated"},
			"two in a row": {func(f []byte) []byte { f[next-1]++; f[starts[third+2]-1]++; return f }, nil, 0,
				"it does not end with the sync marker"},
		} {
			t.Run(codec+" "+name, func(t *testing.T) {
				path := write(t, "data", c.harm(bytes.Clone(file)))
				for _, ranks := range []int{1, 2, 5} {
					of := AvroOf(avro.Must[pair]())
					keep := func(v pair) string { return fmt.Sprint(v) }
					o, err := ingest(ranks, of, keep, []string{path}, Skip(2))
					require.NoError(t, err)
					require.Regexp(t, "data: the block at byte [0-9]+: .*"+c.told, o.report.First)
					if c.want != nil {
						require.Contains(t, o.report.First, fmt.Sprintf("at byte %d: ", place(c.want, want, starts)))
						require.Equal(t, c.want, o.all())
						require.Equal(t, c.lost, o.report.Skipped)
					}
					_, err = ingest(ranks, of, keep, []string{path})
					require.ErrorContains(t, err, "data: the block at byte ")
				}
			})
		}
		_, err := ingest(2, Avro(), func(any) int { return 0 }, []string{write(t, "data", file[:40])}, Skip(9))
		require.ErrorContains(t, err, "the file is truncated")
	}
}

// place returns the offset of the first block with records that were not read.
func place(read, all []string, starts []int64) int64 {
	for i := range all {
		if i >= len(read) || read[i] != all[i] {
			return starts[i/7]
		}
	}
	return -1
}

// A block with an unreadable record gives the records before it. A truncated file is not a damaged block.
func TestAvroSkipWithin(t *testing.T) {
	file, want := pairs(t, 21, 7, "null")
	at := bytes.Index(file, []byte("name 10"))
	file[at-1] = 0xff // its length
	o, err := ingest(1, AvroOf(avro.Must[pair]()), func(v pair) string { return fmt.Sprint(v) },
		[]string{write(t, "data", file)}, Skip(1))
	require.NoError(t, err)
	require.Equal(t, append(slices.Clone(want[:10]), want[14:]...), o.all())
	require.Contains(t, o.report.First, ": record 4: ")

	path := write(t, "data", file)
	ranks1(t, func(r *pebble.Rank) {
		in, err := Open(r, []string{path}, Avro(), Skip(9))
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, int64(len(file)-30)))
		for range in.All() {
		}
		require.ErrorContains(t, in.Err(), "the file was truncated while the job read it")
	})
}

// Records of a program's main package are decoded to a type of any name with the same fields, on any number of ranks.
func TestAvroOfOtherTypes(t *testing.T) {
	var b bytes.Buffer
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: &b, CompressionName: "deflate", Schema: `{"type":"record",
		"namespace":"main","name":"visit","fields":[{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},
		{"name":"N","type":"int"},{"name":"Name","type":"string"}]}`})
	require.NoError(t, err)
	var want []string
	for i := range 50 {
		v := map[string]any{"at": time.Unix(int64(i), 0), "N": i, "Name": fmt.Sprint("name ", i)}
		require.NoError(t, w.Append([]any{v}))
		want = append(want, fmt.Sprint(pair{fmt.Sprint("name ", i), int64(i)}))
	}
	twin(t, b.Bytes(), AvroOf(avro.Must[pair]()), func(v pair) string { return fmt.Sprint(v) }, want)
	b.Bytes()[b.Len()-20]++ // within the last block
	_, err = ingest(2, AvroOf(avro.Must[pair]()), func(v pair) pair { return v }, []string{write(t, "data", b.Bytes())})
	require.ErrorContains(t, err, "data: the block at byte ")
}
