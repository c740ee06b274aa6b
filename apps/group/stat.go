package group

import "math"

// stat summarizes numbers. The zero value is that of no numbers.
type stat struct {
	Count     uint64
	High, Low float64 // their sum, rounded, and the rounding error
	Min, Max  float64 // NaN if one of them is
}

// of is the stat of one number.
func of(x float64) stat { return stat{Count: 1, High: x, Min: x, Max: x} }

// merge returns the stat of the numbers of both. The sum has more than 100 bits, so after rounding it does not depend
// on the order of merging, unless the numbers cancel out nearly all of it.
func (a stat) merge(b stat) stat {
	switch {
	case a.Count == 0:
		return b
	case b.Count == 0:
		return a
	}
	sum, lacks := twoSum(a.High, b.High)
	high, low := twoSum(sum, lacks+a.Low+b.Low)
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		high, low = sum, 0
	}
	return stat{a.Count + b.Count, high, low, math.Min(a.Min, b.Min), math.Max(a.Max, b.Max)}
}

// twoSum returns the rounded sum of two numbers, and the rounding error (Knuth, The Art of Computer Programming 2,
// 4.2.2).
func twoSum(a, b float64) (sum, lacks float64) {
	sum = a + b
	part := sum - a
	return sum, (a - (sum - part)) + (b - part)
}

// stats are the stats of the columns of one group.
type stats interface {
	[1]stat | [4]stat | [columnsMost]stat
}

// columnsMost is the maximum number of columns with numbers.
const columnsMost = 16

// total is a group as a pebble carries it.
type total[S stats] struct {
	Rows    uint64
	Columns S
}

func (a total[S]) merge(b total[S]) total[S] {
	a.Rows += b.Rows
	for i := range len(a.Columns) {
		a.Columns[i] = a.Columns[i].merge(b.Columns[i])
	}
	return a
}
