package covering_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/covering"
)

// Every combination of a valid row occurs. The check uses loops, independent of the package's sets and numbers.
func TestEveryCombinationOccurs(t *testing.T) {
	odd := func(row []int) bool { return (row[0]+row[1])%2 == 1 || row[2] == 0 }
	for _, c := range []struct {
		levels []int
		valid  func(row []int) bool
	}{
		{levels: []int{1, 1, 1}}, {levels: []int{2, 2, 2, 2}}, {levels: []int{6, 10, 3, 3, 2, 6}},
		{levels: []int{4, 3, 2, 5}, valid: odd}, {levels: []int{4, 3, 2}, valid: func([]int) bool { return false }},
	} {
		least := 0
		for i, note := range []func(row []int, into map[string]bool){pairs, triples} {
			want, have, most := map[string]bool{}, map[string]bool{}, 0
			for row := range covering.Product(c.levels) {
				if c.valid == nil || c.valid(row) {
					note(row, want)
					most++
				}
			}
			rows := covering.Array(2+i, c.levels, c.valid)
			for _, row := range rows {
				require.True(t, c.valid == nil || c.valid(row))
				note(row, have)
			}
			require.Equal(t, want, have, "%v", c.levels)
			require.LessOrEqual(t, least, len(rows), "triples take no fewer rows than pairs")
			require.LessOrEqual(t, len(rows), most)
			require.Equal(t, rows, covering.Array(2+i, c.levels, c.valid), "the array is fixed")
			least = len(rows)
		}
	}
	require.LessOrEqual(t, len(covering.Array(2, []int{6, 10, 3, 3, 2, 6}, nil)), 75, "of 6480 rows")
	require.Equal(t, [][]int{{0, 0}, {1, 1}, {0, 1}, {1, 0}}, covering.Array(2, []int{2, 2}, nil))
}

// Values take about equal shares of the rows.
func TestValuesOccurEqually(t *testing.T) {
	levels := []int{2, 6, 10, 3, 3, 2, 6}
	rows := covering.Array(2, levels, nil)
	for i, n := range levels {
		times := make([]int, n)
		for _, row := range rows {
			times[row[i]]++
		}
		require.LessOrEqual(t, slices.Max(times)-slices.Min(times), 1+len(rows)/n/4, "%v", times)
	}
}

func pairs(row []int, into map[string]bool) {
	for i := range row {
		for j := range i {
			into[fmt.Sprint(j, row[j], i, row[i])] = true
		}
	}
}

func triples(row []int, into map[string]bool) {
	for i := range row {
		for j := range i {
			for k := range j {
				into[fmt.Sprint(k, row[k], j, row[j], i, row[i])] = true
			}
		}
	}
}
