package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/target/avro"
)

type pair struct {
	Name string
	N    int64
}

// pairs is a file of pairs, as goavro writes it, in blocks of some.
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
	for _, codec := range []string{"null", "deflate", "snappy"} {
		for _, n := range []int{0, 1, 100} {
			file, want := pairs(t, n, 7, codec)
			twin(t, file, AvroOf(avro.Must[pair]()), func(v pair) string { return fmt.Sprint(v) }, want)
			twin(t, file, Avro(), func(v any) string {
				m := v.(map[string]any)
				return fmt.Sprint(pair{m["Name"].(string), m["N"].(int64)})
			}, want)
		}
	}
}

// rawBytes leaves records of bytes as they are.
type rawBytes struct{}

func (rawBytes) Schema() string { return `"bytes"` }

func (rawBytes) Next(src []byte) (v, rest []byte, err error) {
	n, i := binary.Varint(src)
	if i <= 0 || n < 0 || n > int64(len(src)-i) {
		return nil, nil, errors.New("bytes are cut short")
	}
	return src[i : i+int(n)], src[i+int(n):], nil
}

func TestAvroMistakes(t *testing.T) {
	file, _ := pairs(t, 100, 7, "deflate")
	read := func(content []byte, opts ...Option) error {
		_, err := ingest(2, AvroOf(avro.Must[pair]()), func(v pair) pair { return v }, []string{write(t, "data",
			content)}, opts...)
		return err
	}
	require.ErrorContains(t, read([]byte("a,b\n")),
		`data: the file begins with "a,b\n", not as an Avro object container file does`)
	require.ErrorContains(t, read(file[:len(file)-20]), "the file is cut short: write it again")
	require.ErrorContains(t, read(gzipped1(t, file)), "the file is compressed as a whole")
	require.ErrorContains(t, read(file, RowLimit(10)), "more bytes than the limit: raise it by ingest.RowLimit")
	_, err := ingest(2, AvroOf[[]byte](rawBytes{}), text, []string{write(t, "data", file)})
	require.ErrorContains(t, err, "the records' schema is")
	damaged := bytes.Clone(file)
	damaged[len(damaged)-1]++
	require.ErrorContains(t, read(damaged), "does not end with the mark that the header tells")
}

func FuzzAvro(f *testing.F) {
	file, _ := pairs(f, 10, 3, "deflate")
	f.Add(file)
	f.Fuzz(func(t *testing.T, content []byte) {
		r := Range{bytes.NewReader(content), int64(len(content)), 0, int64(len(content)), 1 << 16}
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
	b.Run("natives", func(b *testing.B) {
		in := whole(b, path)
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			require.NoError(b, readOne(in, Avro()))
		}
	})
	b.Run("structs", func(b *testing.B) {
		in := whole(b, path)
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			require.NoError(b, readOne(in, AvroOf(avro.Must[pair]())))
		}
	})
}

// blocks reads a range.
func (f Format[T]) blocks(r Range) func(func(T, error) bool) {
	opened, err := f.open(nil)
	if err != nil {
		panic(err)
	}
	return opened.(blocks[T]).each(r)
}
