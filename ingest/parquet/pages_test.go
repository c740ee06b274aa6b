package parquet_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lib "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/activepebbles/pebbles/ingest"
)

type long struct {
	Values []int64 `parquet:"values"`
}

var codecs = map[string]compress.Codec{"none": &lib.Uncompressed, "snappy": &lib.Snappy, "gzip": &lib.Gzip,
	"brotli": &lib.Brotli, "zstd": &lib.Zstd, "lz4": &lib.Lz4Raw}

// packed returns a file with a page for each number of zeros, and the offsets of its pages.
func packed(t *testing.T, codec compress.Codec, zeros ...int) (content []byte, pages []int64) {
	var b bytes.Buffer
	w := lib.NewGenericWriter[long](&b, lib.Compression(codec), lib.MaxRowsPerRowGroup(1))
	for _, n := range zeros {
		_, err := w.Write([]long{{make([]int64, n)}})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	file, err := lib.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	for _, group := range file.Metadata().RowGroups {
		pages = append(pages, group.Columns[0].MetaData.DataPageOffset)
	}
	return b.Bytes(), pages
}

// A page that decompresses to more bytes than the limit, or than it claims, is an error before it is decompressed to
// memory. Skip leaves it out. This holds for every compression.
func TestPageBombs(t *testing.T) {
	const bomb, limit = 8 << 20, 9 << 20 // values, bytes
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			content, pages := packed(t, codec, 1, bomb, 2)
			path := filepath.Join(t.TempDir(), "a.parquet")
			try := func(want string) {
				require.NoError(t, os.WriteFile(path, content, 0o600))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := read[long](1, path, ingest.RowLimit(limit))
				require.ErrorContains(t, err, "row group 2: column values: the page at byte ")
				require.ErrorContains(t, err, want)
				got, err := read[long](2, path, ingest.RowLimit(limit), ingest.Skip(1))
				require.NoError(t, err)
				require.ElementsMatch(t, []long{{make([]int64, 1)}, {make([]int64, 2)}}, got)
				runtime.ReadMemStats(&after)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(48<<20))
			}
			try("more than the limit of 9437184: raise ingest.RowLimit")
			if name == "none" {
				return
			}
			size := content[pages[1]+3:] // the size that the page claims, behind its type
			require.Equal(t, byte(0x15), content[pages[1]+2])
			require.Equal(t, byte(0x40), size[3]&0x40)
			copy(size, "\x80\x80\x80\x01") // 1 MiB
			try("")
		})
	}
}

// Pages that are damaged anywhere end with an error or other rows, even lz4's, for which the library does not
// terminate.
func TestDamagedPages(t *testing.T) {
	r := random(t)
	for name, codec := range codecs {
		content, pages := packed(t, codec, 300, 2)
		path := filepath.Join(t.TempDir(), "a.parquet")
		for range 50 {
			changed := bytes.Clone(content)
			changed[pages[0]+r.Int64N(pages[1]-pages[0])] ^= byte(1 << r.IntN(8))
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			got, err := read[long](1, path, ingest.Skip(9))
			require.NoError(t, err, name)
			require.Contains(t, got, long{make([]int64, 2)})
		}
	}
}

// A flipped bit anywhere in a page or its header is an error, or changes no row.
func TestFlippedBitsOfPages(t *testing.T) {
	type row struct {
		A int64   `parquet:"a"`
		B string  `parquet:"b,dict"`
		C *int32  `parquet:"c,optional"`
		D []int32 `parquet:"d,list"`
	}
	seven := int32(7)
	rows := []row{{1, "x", &seven, []int32{1, 2}}, {2, "y", nil, nil}, {3, "x", &seven, []int32{4}}}
	text := func(rows []row) string {
		b, err := json.Marshal(rows)
		require.NoError(t, err)
		return strings.ReplaceAll(string(b), "null", "[]") // an empty list is read back as one that is not nil
	}
	var b bytes.Buffer
	require.NoError(t, lib.Write(&b, rows))
	footer := b.Len() - 8 - int(binary.LittleEndian.Uint32(b.Bytes()[b.Len()-8:]))
	path, r := filepath.Join(t.TempDir(), "a.parquet"), random(t)
	for at := range footer {
		changed, bit := bytes.Clone(b.Bytes()), r.IntN(8)
		changed[at] ^= 1 << bit
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		if got, err := read[row](1, path); err == nil {
			require.Equal(t, text(rows), text(got), "bit %d of byte %d", bit, at)
		}
	}
}

// A dictionary with a wrong checksum is an error, like a page of values.
func TestDamagedDictionary(t *testing.T) {
	type word struct {
		Text string `parquet:"text,dict"`
	}
	var b bytes.Buffer
	require.NoError(t, lib.Write(&b, []word{{"left"}, {"right"}, {"left"}}))
	path := filepath.Join(t.TempDir(), "a.parquet")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	got, err := read[word](1, path)
	require.NoError(t, err)
	require.Len(t, got, 3)
	changed := bytes.Replace(b.Bytes(), []byte("left"), []byte("lift"), 1)
	require.NoError(t, os.WriteFile(path, changed, 0o600))
	_, err = read[word](1, path)
	require.ErrorContains(t, err, "its checksum is wrong")
}
