package reduction

import (
	"github.com/activepebbles/pebbles/reduce"
)

// Total is what is put together under one key. A key without items has the zero Total.
type Total struct {
	Count uint64 // of sum, count and concatenate: the items
	Value uint64 // of sum and concatenate: their sum modulo 2^64; of max: the largest; of distinct: a bit for each value
}

// Kinds are the names of what a reduction can do.
func Kinds() []string { return []string{"sum", "count", "max", "distinct", "concatenate"} }

// flow is what a kind does with pebbles of type V, a batch at a time.
type flow[V any] struct {
	reduction reduce.Kind[V]
	// make makes the pebbles of the items with these numbers.
	make func(vs []V, numbers []uint64, keys uint64)
	keys func(vs []V, keys []uint64)
	// add is the handler: it brings pebbles into the totals of this rank's keys, of which first is the first. It returns
	// how many pebbles are for keys of other ranks, and the sum of the marks of the others, where totals do not tell what
	// came.
	add func(totals []Total, first uint64, vs []V) (astray, marks uint64)
}

// mark is for kinds whose totals have not every pebble in them. When nothing was merged, the sum over the pebbles of a
// key has a closed formula.
func mark(key, value uint64) uint64 { return key*0x9E3779B97F4A7C15 + value }

// sequence are the numbers of the items of one key: count of them, step apart.
type sequence struct{ first, step, count uint64 }

// sequenceOf is the sequence of a key when the items of all ranks are so many.
func sequenceOf(key, keys, items uint64) sequence {
	if key >= items {
		return sequence{first: key, step: keys}
	}
	return sequence{key, keys, (items-key-1)/keys + 1}
}

// total is the total of these items by kind.
func (s sequence) total(kind string) Total {
	if s.count == 0 {
		return Total{}
	}
	switch kind {
	case "count":
		return Total{Count: s.count}
	case "max":
		return Total{Value: s.first + s.step*(s.count-1) + 1}
	case "distinct":
		return Total{Value: 1<<min(s.count, values) - 1}
	default:
		return Total{Count: s.count, Value: s.sum()}
	}
}

// marks is the sum of the marks of the pebbles of these items, of one key, when none was merged.
func (s sequence) marks(kind string, key uint64) uint64 {
	switch kind {
	case "max":
		return mark(key, 0)*s.count + s.sum()
	case "distinct":
		const round = values * (values - 1) / 2 // 0 to values-1
		rest := s.count % values
		return mark(key, 0)*s.count + s.count/values*round + rest*(rest-1)/2
	default:
		return 0
	}
}

// sum is the sum of n+1 over the sequence, modulo 2^64.
func (s sequence) sum() uint64 {
	a, b := s.count, s.count-1
	if a%2 == 0 { // before anything is lost above the 64 bits
		a /= 2
	} else {
		b /= 2
	}
	return s.count*(s.first+1) + s.step*(a*b)
}
