package parquet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	lib "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/export"
	to "github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/ingest/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// reading is a row of the tables of these tests.
type reading struct {
	Vertex uint64  `parquet:"vertex"`
	Shift  int64   `parquet:"shift"`
	Score  float64 `parquet:"score"`
	Name   string  `parquet:"name"`
	Left   *int64  `parquet:"left,optional"`
}

func readingAt(i int) reading {
	v := reading{uint64(i) << 33, int64(-i), 1 / float64(i+1), fmt.Sprint("ä", i%50), nil}
	if left := int64(i); i%3 > 0 {
		v.Left = &left
	}
	return v
}

// readings returns rows as columns, which are not sorted by name.
func readings(from, to int) []export.Column {
	n := to - from
	vertex, shift, score, name := make([]uint64, n), make([]int64, n), make([]float64, n), make([]string, n)
	left, none := make([]int64, n), make([]bool, n)
	for i := range n {
		v := readingAt(from + i)
		vertex[i], shift[i], score[i], name[i], none[i] = v.Vertex, v.Shift, v.Score, v.Name, v.Left == nil
		if v.Left != nil {
			left[i] = *v.Left
		}
	}
	return []export.Column{{Name: "vertex", Values: vertex}, {Name: "shift", Values: shift},
		{Name: "score", Values: score}, {Name: "name", Values: name}, {Name: "left", Values: left, Null: none}}
}

// written writes n rows by some ranks.
func written(t *testing.T, ranks, n int, path string) {
	t.Helper()
	require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		out, err := export.CreateTable(r, path, export.Also(to.Table()))
		if err != nil {
			return err
		}
		defer out.Abort()
		for from, end := r.ID()*n/ranks, (r.ID()+1)*n/ranks; ; from += 1000 {
			if err := out.Write(readings(min(from, end), min(from+1000, end))); err != nil {
				return err
			}
			if from >= end {
				break
			}
		}
		_, err = out.Close()
		return err
	}))
}

// One file has the rows of all ranks in order, and the columns in order, for any number of ranks.
func TestOneFile(t *testing.T) {
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, n := range []int{0, 3, 5000} {
			path := filepath.Join(t.TempDir(), "a.parquet")
			written(t, ranks, n, path)
			rows, err := lib.ReadFile[reading](path)
			require.NoError(t, err)
			require.Len(t, rows, n)
			for i, row := range rows {
				require.Equal(t, readingAt(i), row)
			}
			f, err := os.Open(path)
			require.NoError(t, err)
			info, err := f.Stat()
			require.NoError(t, err)
			of, err := lib.OpenFile(f, info.Size())
			require.NoError(t, err)
			require.Equal(t, [][]string{{"vertex"}, {"shift"}, {"score"}, {"name"}, {"left"}}, of.Schema().Columns())
			require.NoError(t, f.Close())
		}
	}
}

// Ranks share the row groups of one file or of a folder.
func TestThereAndBack(t *testing.T) {
	const n = 3*to.GroupRows + 17
	for _, end := range []string{"", "/"} {
		path := filepath.Join(t.TempDir(), "a.parquet") + end
		written(t, 2, n, path)
		require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
			in, err := ingest.Open(r, []string{path}, parquet.Rows[reading]())
			if err != nil {
				return err
			}
			sum, rows := int64(0), 0
			for v := range in.All() {
				sum += v.Shift
				rows++
			}
			if _, err := in.Report(); err != nil {
				return err
			}
			total, err := pebble.AllReduce(r, sum, pebble.Sum)
			require.Equal(t, int64(-n)*(n-1)/2, total)
			require.Positive(t, rows)
			return err
		}))
	}
}

// BenchmarkTable writes columns of numbers. Its rate counts 8 bytes per value.
func BenchmarkTable(b *testing.B) {
	const n = 1 << 20
	batch := readings(0, n)[:3]
	path := filepath.Join(b.TempDir(), "a.parquet")
	b.SetBytes(3 * 8 * n)
	for b.Loop() {
		err := pebble.Run(context.Background(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			out, err := export.CreateTable(r, path, export.Also(to.Table()), export.Replace())
			if err != nil {
				return err
			}
			defer out.Abort()
			if err := out.Write(batch); err != nil {
				return err
			}
			_, err = out.Close()
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
