package ingest

import (
	"hash/maphash"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

var fuzzSeed = maphash.MakeSeed()

// lengthMax is the maximum number of lines that are read of a fuzzed file: a few bytes may decompress to gigabytes.
const lengthMax = 1 << 16

// sumOf returns a sum over the lines of a file. An option may choose the pieces.
func sumOf(t *testing.T, path string, opts ...Option) (sum uint64, err error) {
	ranks1(t, func(r *pebble.Rank) {
		in, failed := Open(r, []string{path}, Lines(), append(opts, RowLimit(1<<16))...)
		if err = failed; err != nil {
			return
		}
		lines := 0
		for line := range in.All() {
			sum = sum*31 + maphash.Bytes(fuzzSeed, line)
			if lines++; lines == lengthMax {
				break
			}
		}
		err = in.Err()
	})
	return sum, err
}

// A compressed file has the same lines wherever it is cut between blocks, or it is an error.
func FuzzCompressed(f *testing.F) {
	text := []byte("a\nsome\n\nlines\nof text")
	f.Add(text)
	f.Add(bgzf(f, text, 5))
	f.Add(gzipped1(f, text))
	f.Add(zstdFrames(f, text, 5))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := write(t, "data", content)
		whole, err := sumOf(t, path)
		cut, failed := sumOf(t, path, everywhere())
		if err == nil && failed == nil {
			require.Equal(t, whole, cut)
		}
	})
}
