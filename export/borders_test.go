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

// One file has the same bytes for any number of ranks, in every format. This holds for any shares, for rows written at
// once or in batches, below a block, at its border, and with blocks that begin on one rank and end on another.
func TestBytesOfOneFile(t *testing.T) {
	splits := map[string]func(rank, ranks, n int) int{
		"alike":        func(rank, ranks, n int) int { return rank * n / ranks },
		"all on first": func(rank, _, n int) int { return min(rank, 1) * n },
		"all on last":  func(rank, ranks, n int) int { return rank / ranks * n },
	}
	large := map[int]string{1: "alike", 2: "all on last", 4: "alike", 7: "all on first"} // one split by ranks
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
						if ranks == 2 || ranks == 7 {
							inBatches(out, batch, 1000*ranks)
						} else {
							appstest.OK(export.WriteWhole(out, batch))
						}
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

// inBatches announces rows, and writes some at a time.
func inBatches(out *export.Sink[[]export.Column], batch []export.Column, atOnce int) {
	rows := batch[0].Len()
	appstest.OK(export.Announce(out, uint64(rows)))
	for from := 0; from == 0 || from < rows; from += atOnce {
		var some []export.Column
		for _, c := range batch {
			some = append(some, c.Slice(from, min(from+atOnce, rows)))
		}
		appstest.OK(out.Write(some))
	}
}

// A number of rows other than the announced one is an error on all ranks, and leaves nothing. So is a rank without a
// batch.
func TestAnnounced(t *testing.T) {
	folder := t.TempDir()
	for says, write := range map[string]func(out *export.Sink[[]export.Column], rank int){
		"4 rows were announced, and 3 written": func(out *export.Sink[[]export.Column], rank int) {
			appstest.OK(out.Write(long(0, 4-rank)))
		},
		"4 rows were announced, and 5 written": func(out *export.Sink[[]export.Column], rank int) {
			appstest.OK(out.Write(long(0, 4)))
			appstest.OK(out.Write(long(0, rank)))
		},
		"no batch was written": func(out *export.Sink[[]export.Column], rank int) {
			if rank == 0 {
				appstest.OK(out.Write(long(0, 4)))
			}
		},
	} {
		require.NoError(t, run(2, func(r *pebble.Rank) error {
			out := appstest.Must(export.CreateTable(r, filepath.Join(folder, "a.avro")))
			defer out.Abort()
			appstest.OK(export.Announce(out, 4))
			write(out, r.ID())
			_, err := out.Close()
			require.ErrorContains(t, err, says)
			return nil
		}))
		require.Empty(t, appstest.Must(os.ReadDir(folder)))
	}
}

// Rows of one column become lines, compressed or not. Rows of two columns, or with a line break, are errors.
func TestAsLines(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, batch ...export.Column) error {
		return run(1, func(r *pebble.Rank) error {
			out := appstest.Must(export.CreateTable(r, filepath.Join(folder, name), export.AsLines()))
			defer out.Abort()
			if err := export.WriteWhole(out, batch); err != nil {
				return err
			}
			_, err := out.Close()
			return err
		})
	}
	texts := export.Column{Name: "line", Values: []string{"a,b", `"`, "", "\xff"}}
	require.NoError(t, write("a.csv", texts))
	require.Equal(t, "a,b\n\"\n\n\xff\n", string(appstest.Must(os.ReadFile(filepath.Join(folder, "a.csv")))))
	require.NoError(t, write("n", export.Column{Name: "n", Values: []int64{-1, 2}}))
	require.Equal(t, "-1\n2\n", string(appstest.Must(os.ReadFile(filepath.Join(folder, "n")))))
	require.ErrorContains(t, write("b", texts, texts), "rows of 2 columns become no lines")
	require.ErrorContains(t, write("b", export.Column{Name: "line", Values: []string{"a\nb"}}), "has a line break")
}

// long returns a table of numbers only, for many rows.
func long(from, to int) []export.Column {
	keys, scores := make([]uint64, to-from), make([]float64, to-from)
	for i := range keys {
		keys[i], scores[i] = uint64(from+i), float64((from+i)%1000)/8
	}
	return []export.Column{{Name: "vertex", Values: keys}, {Name: "score", Values: scores}}
}
