package apps_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// scored returns a rank's share of n rows.
func scored(rank, ranks, n int) []export.Column {
	keys, scores := []uint64{}, []float64{}
	for i := rank * n / ranks; i < (rank+1)*n/ranks; i++ {
		keys, scores = append(keys, uint64(i)), append(scores, float64(i*7%5)/4)
	}
	return []export.Column{{Name: "vertex", Values: keys}, {Name: "score", Values: scores}}
}

// kept returns the report of a job that keeps rows. wrong is the number of mistakes of its verifier.
func kept(t *testing.T, ranks, n int, o apps.Output, wrong uint64) (report apps.Report, err error) {
	t.Helper()
	err = appstest.Mem(ranks).Run(t, func(r *pebble.Rank) error {
		w, err := apps.NewRowWriter(r, o, "score")
		if err != nil {
			return err
		}
		defer w.Abort()
		p := apps.NewReport(r, "test", 0)
		if err := p.FoundOnce(r, wrong, "rows are wrong"); err != nil {
			return err
		}
		err = w.Keep(&p, func() ([]export.Column, error) { return scored(r.ID(), r.Size(), n), nil })
		if r.ID() == 0 {
			report = p
		}
		return err
	})
	return report, err
}

// The file and the highest rows are the same for any number of ranks, even if some have no rows.
func TestRowsAreKept(t *testing.T) {
	for _, ranks := range []int{1, 2, 4, 7} {
		path := filepath.Join(t.TempDir(), "scores.csv")
		p, err := kept(t, ranks, 6, apps.Output{Path: path, Top: 3}, 0)
		require.NoError(t, err)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "vertex,score\n0,0\n1,0.5\n2,1\n3,0.25\n4,0.75\n5,0\n", string(content))
		require.EqualValues(t, 6, p.Output.Rows)
		require.EqualValues(t, len(content), p.Output.Bytes)
		var top []string
		for _, row := range p.TopRows {
			top = append(top, string(row))
		}
		require.Equal(t, []string{`{"vertex":2,"score":1}`, `{"vertex":4,"score":0.75}`, `{"vertex":1,"score":0.5}`}, top)
		require.Equal(t, [2]string{"highest", "vertex 2, score 1"}, p.OutputRows()[1])
	}
}

// Wrong rows are not kept, and nothing remains of them.
func TestWrongRowsAreNotKept(t *testing.T) {
	folder := t.TempDir()
	p, err := kept(t, 3, 10, apps.Output{Path: filepath.Join(folder, "a.jsonl"), Top: 1}, 1)
	require.NoError(t, err)
	require.Nil(t, p.Output)
	require.Empty(t, p.OutputRows())
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// The highest values are in the order of their type. Among equal ones the first rows count.
func TestTopOrdersByValue(t *testing.T) {
	for _, c := range []struct {
		values any
		null   []bool
		want   []string
	}{
		{[]int64{-5, 3, math.MinInt64, math.MaxInt64, 3}, nil, []string{"9223372036854775807", "3", "3", "-5"}},
		{[]uint64{1, math.MaxUint64, 0}, nil, []string{"18446744073709551615", "1", "0"}},
		{[]float64{math.Inf(-1), -1, math.NaN(), 0, math.Inf(1)}, nil, []string{"+Inf", "0", "-1", "-Inf", "NaN"}},
		{[]string{"a", "", "b", "aa"}, nil, []string{"b", "aa", "a", ""}},
		{[]float64{1, 9, 2}, []bool{false, true, false}, []string{"2", "1", ""}},
	} {
		err := appstest.Mem(1).Run(t, func(r *pebble.Rank) error {
			w := appstest.Must(apps.NewRowWriter(r, apps.Output{Top: len(c.want)}, "x"))
			appstest.OK(w.Write(export.Column{Name: "x", Values: c.values, Null: c.null}))
			p := apps.NewReport(r, "test", 0)
			appstest.OK(w.Close(&p))
			for i, row := range p.OutputRows() {
				want := "x " + c.want[i]
				if c.null != nil && i == 2 {
					want = ""
				}
				require.Equal(t, want, row[1])
			}
			require.Len(t, p.TopRows, len(c.want))
			return nil
		})
		require.NoError(t, err)
	}
}

func TestOutputRefuses(t *testing.T) {
	for want, o := range map[string]apps.Output{
		"give a positive number":        {Top: -1},
		"name one, or do not replace":   {Replace: true},
		"use one of .csv, .tsv":         {Path: "scores.xlsx"},
		".parquet compresses by itself": {Path: "scores.parquet.zst"},
	} {
		require.ErrorContains(t, o.Check(), want)
	}
	for _, path := range []string{"a.csv", "a.tsv.gz", "a.jsonl.zst", "a.avro", "a.parquet", "a.parquet/"} {
		require.NoError(t, apps.Output{Path: path}.Check())
	}
	_, err := kept(t, 2, 1, apps.Output{Path: filepath.Join(t.TempDir(), "nosuch", "a.csv")}, 0)
	require.ErrorContains(t, err, "create the folder that contains it")
	err = appstest.Mem(1).Run(t, func(r *pebble.Rank) error {
		w := appstest.Must(apps.NewRowWriter(r, apps.Output{Top: 1}, "degree"))
		return w.Write(scored(0, 1, 1)...)
	})
	require.ErrorContains(t, err, `rows have no column "degree"`)
}
