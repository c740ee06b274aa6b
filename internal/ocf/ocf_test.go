package ocf

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"
)

var codecs = []string{"null", "deflate", "snappy", "zstandard"}

// written returns a file of blocks; block n has its number n times.
func written(t testing.TB, codec string, blocks int) []byte {
	w, err := NewWriter(Header{Schema: `"string"`, Codec: codec, Sync: [16]byte{1, 2, 3}})
	require.NoError(t, err)
	file := w.Header.Append(nil)
	c, err := goavro.NewCodec(`"string"`)
	require.NoError(t, err)
	for i := 1; i <= blocks; i++ {
		var data []byte
		for range i {
			data, err = c.BinaryFromNative(data, fmt.Sprint("number ", i))
			require.NoError(t, err)
		}
		file, err = w.Append(file, int64(i), data)
		require.NoError(t, err)
	}
	return file
}

// walk reads all blocks.
func walk(file []byte, limit int) (datums int64, err error) {
	f := bytes.NewReader(file)
	h, err := ReadHeader(f, int64(len(file)))
	if err != nil {
		return 0, err
	}
	r, err := NewReader(f, h, limit)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for at := h.Length; ; {
		b, err := h.Find(f, int64(len(file)), at)
		if err == io.EOF {
			return datums, nil
		}
		err = cmp.Or(err, b.Damage)
		if err != nil {
			return datums, err
		}
		if _, err := r.Read(b); err != nil {
			return datums, err
		}
		datums, at = datums+b.Count, b.Next
	}
}

// goavro reads our files, and we read goavro's.
func TestAsGoavro(t *testing.T) {
	for _, codec := range codecs {
		file := written(t, codec, 5)
		n, err := walk(file, 1<<20)
		require.NoError(t, err)
		require.Equal(t, int64(15), n)
		if codec == "zstandard" {
			continue // goavro does not support it
		}
		r, err := goavro.NewOCFReader(bytes.NewReader(file))
		require.NoError(t, err)
		read := 0
		for ; r.Scan(); read++ {
			v, err := r.Read()
			require.NoError(t, err)
			require.Contains(t, v, "number ")
		}
		require.NoError(t, r.Err())
		require.Equal(t, 15, read)

		var b bytes.Buffer
		w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: &b, Schema: `"string"`, CompressionName: codec})
		require.NoError(t, err)
		require.NoError(t, w.Append([]any{"a", "b"}))
		require.NoError(t, w.Append([]any{"c"}))
		n, err = walk(b.Bytes(), 1<<20)
		require.NoError(t, err)
		require.Equal(t, int64(3), n)
	}
}

// A file that is cut anywhere is an error, and so is one with blocks that are too long.
func TestDamaged(t *testing.T) {
	for _, codec := range codecs {
		file := written(t, codec, 5)
		ends := map[int]bool{}
		h, err := ReadHeader(bytes.NewReader(file), int64(len(file)))
		require.NoError(t, err)
		for at := h.Length; at < int64(len(file)); {
			ends[int(at)] = true
			b, err := h.Find(bytes.NewReader(file), int64(len(file)), at)
			require.NoError(t, err)
			at = b.Next
		}
		for n := range len(file) {
			if _, err := walk(file[:n], 1<<20); !ends[n] {
				require.Error(t, err, "%s cut at %d", codec, n)
			}
		}
		_, err = walk(file, 10)
		require.ErrorIs(t, err, ErrLong)
	}
	_, err := walk([]byte("no Avro at all"), 1)
	require.ErrorContains(t, err, `the file begins with "no A"`)
	h := Header{Schema: `"null"`, Codec: "xz"}
	_, err = walk(h.Append(nil), 1)
	require.ErrorContains(t, err, `blocks are compressed by "xz"`)
}

func FuzzWalk(f *testing.F) {
	for _, codec := range codecs {
		f.Add(written(f, codec, 3))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		_, _ = walk(file, 1<<16) // it ends, and allocates little
	})
}

// The memory of a block is bounded, for any length in its header.
func TestBomb(t *testing.T) {
	bomb := make([]byte, 64<<20)
	for _, codec := range codecs[1:] {
		w, err := NewWriter(Header{Schema: `"bytes"`, Codec: codec})
		require.NoError(t, err)
		file, err := w.Append(w.Header.Append(nil), 1, bomb)
		require.NoError(t, err)
		require.Less(t, len(file), len(bomb)/10)
		_, err = walk(file, 1<<20)
		require.ErrorIs(t, err, ErrLong, codec)
	}
}

// Bytes that change at random are an error, or blocks of other bytes.
func TestChangedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, codec := range codecs {
		file := written(t, codec, 5)
		for range 2000 {
			changed := bytes.Clone(file)
			changed[r.IntN(len(file))] = byte(r.IntN(256))
			_, _ = walk(changed, 1<<16)
		}
	}
}
