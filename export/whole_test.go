package export_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// One file has the same bytes for any number of ranks, however they share the rows, in every format: below a block, at
// its border, and with blocks that begin on one rank and end on another.
func TestBytesOfOneFile(t *testing.T) {
	splits := map[string]func(rank, ranks, n int) int{
		"alike":        func(rank, ranks, n int) int { return rank * n / ranks },
		"all on first": func(rank, _, n int) int { return min(rank, 1) * n },
		"all on last":  func(rank, ranks, n int) int { return rank / ranks * n },
	}
	large := map[int]string{1: "alike", 2: "all on last", 4: "alike", 7: "all on first"} // one way to share by ranks
	for _, n := range []int{0, 10, 2*export.BlockRows + 5} {
		for _, extension := range []string{".csv.gz", ".tsv.zst", ".avro", ".parquet"} {
			var want []byte
			for _, ranks := range []int{1, 2, 4, 7} {
				for how, split := range splits {
					if n > 100 && how != large[ranks] {
						continue
					}
					path := filepath.Join(t.TempDir(), "out"+extension)
					require.NoError(t, run(ranks, func(r *pebble.Rank) error {
						out := appstest.Must(export.CreateTable(r, path, export.Also(parquet.Table())))
						defer out.Abort()
						from, to := split(r.ID(), ranks, n), split(r.ID()+1, ranks, n)
						batch := long(from, to)
						if n <= 100 {
							batch = sample(from, to)
						}
						appstest.OK(export.WriteWhole(out, batch))
						m := appstest.Must(out.Close())
						require.EqualValues(t, n, m.Rows)
						return nil
					}))
					got, err := os.ReadFile(path)
					require.NoError(t, err)
					if want == nil {
						want = got
					}
					require.True(t, string(got) == string(want), "%d rows, %s, %d ranks, %s", n, extension, ranks, how)
				}
			}
		}
	}
}

// long is a table of numbers alone, for many rows.
func long(from, to int) []export.Column {
	keys, scores := make([]uint64, to-from), make([]float64, to-from)
	for i := range keys {
		keys[i], scores[i] = uint64(from+i), float64((from+i)%1000)/8
	}
	return []export.Column{{Name: "vertex", Values: keys}, {Name: "score", Values: scores}}
}
