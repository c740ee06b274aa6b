package group

import (
	"math"
	"math/big"

	"github.com/activepebbles/pebbles/apps/table"
)

// stat summarizes numbers. The zero value is that of no numbers.
type stat struct {
	Count    uint64
	Sum      sum
	Min, Max exact // NaN if one of them is
	Fraction bool  // one of them is no integer
}

// of is the stat of one number.
func of(v table.Value) (s stat, ok bool) {
	high, low, ok := v.Exact()
	x := exact{high, low}
	return stat{1, sumOf(x), x, x, v.Kind == table.Float || high != math.Trunc(high) || low != math.Trunc(low)}, ok
}

// merge returns the stat of the numbers of both.
func (a stat) merge(b stat) stat {
	switch {
	case a.Count == 0:
		return b
	case b.Count == 0:
		return a
	}
	least, most := a.Min, a.Max
	if b.Min.less(least) || b.Min.isNaN() {
		least = b.Min
	}
	if most.less(b.Max) || b.Max.isNaN() {
		most = b.Max
	}
	return stat{a.Count + b.Count, a.Sum.plus(b.Sum), least, most, a.Fraction || b.Fraction}
}

// exact is a number of more than 100 bits, such as any integer of 64 bits: the sum of a number and its rounding error.
type exact struct{ High, Low float64 }

func (a exact) isNaN() bool { return a.High != a.High }

// same reports whether the numbers are equal, or both NaN.
func (a exact) same(b exact) bool { return a == b || a.isNaN() && b.isNaN() }

func (a exact) less(b exact) bool { return a.High < b.High || a.High == b.High && a.Low < b.Low }

// plus returns the sum, rounded.
func (a exact) plus(b exact) exact {
	sum, lacks := twoSum(a.High, b.High)
	high, low := twoSum(sum, lacks+a.Low+b.Low)
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return exact{sum, 0}
	}
	return exact{high, low}
}

// by returns the product with a factor, which is rounded unless that is a power of two.
func (a exact) by(factor float64) exact { return exact{a.High * factor, a.Low * factor} }

// value returns the number as an integer if it is one of 64 bits and fraction is false, else as a float64.
func (a exact) value(fraction bool) table.Value {
	const bits = 1 << 53 // integers below it are exact in a float64
	switch {
	case fraction || math.IsInf(a.High, 0) || math.IsNaN(a.High):
	case -bits < a.High && a.High < bits && a.Low == 0:
		return table.IntOf(int64(a.High))
	default:
		n, _ := new(big.Float).SetFloat64(a.High).Int(nil)
		low, _ := new(big.Float).SetFloat64(a.Low).Int(nil)
		switch n.Add(n, low); {
		case n.IsInt64():
			return table.IntOf(n.Int64())
		case n.IsUint64():
			return table.UintOf(n.Uint64())
		}
	}
	return table.FloatOf(a.High + a.Low)
}

// sum is a sum of numbers. It has more than 100 bits, so after rounding it does not depend on the order of the numbers,
// unless they cancel out nearly all of it. Numbers whose sum might overflow are added apart, divided by scale.
type sum struct{ Rest, Large exact }

const (
	scale = 0x1p128
	large = 0x1p960
)

func sumOf(x exact) sum {
	if math.Abs(x.High) < large || math.IsNaN(x.High) {
		return sum{Rest: x}
	}
	return sum{Large: x.by(1 / scale)}
}

func (a sum) plus(b sum) sum { return sum{a.Rest.plus(b.Rest), a.Large.plus(b.Large)} }

// over returns the sum over n.
func (a sum) over(n float64) exact {
	if a.Large == (exact{}) {
		return exact{a.Rest.High / n, a.Rest.Low / n}
	}
	return exact{High: a.scaled() / n * scale}
}

// scaled returns the sum over scale, rounded: it does not overflow.
func (a sum) scaled() float64 {
	return a.Large.High + (a.Rest.High/scale + (a.Large.Low + a.Rest.Low/scale))
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
