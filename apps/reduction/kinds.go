package reduction

import "github.com/activepebbles/pebbles/reduce"

// Total is the result of the reduction of one key. A key without items has the zero Total.
type Total struct {
	Count uint64 // number of items, for sum, count and concatenate
	Value uint64 // sum and concatenate: sum of the items modulo 2^64; max: the largest; distinct: a bit for each value
}

// Kinds returns the names of the kinds of reduction.
func Kinds() []string { return []string{"sum", "count", "max", "distinct", "concatenate"} }

// flow is the treatment of pebbles of type V by a kind, a batch at a time.
type flow[V any] struct {
	reduction reduce.Kind[V]
	// make makes the pebbles of the items with these numbers.
	make func(vs []V, numbers []uint64, keys uint64)
	keys func(vs []V, keys []uint64)
	// add is the handler: it adds pebbles to the totals of this rank's keys; first is the first key. It returns the
	// number of pebbles for keys of other ranks, and the sum of the marks of the others, for kinds whose totals do not
	// depend on every pebble.
	add func(totals []Total, first uint64, vs []V) (astray, marks uint64)
}

// mark is for kinds whose totals do not depend on every pebble. If none was merged, the sum over the pebbles of a key
// has a closed formula.
func mark(key, value uint64) uint64 { return key*0x9E3779B97F4A7C15 + value }

// sequence is the numbers of the items of one key: count numbers, step apart.
type sequence struct{ first, step, count uint64 }

// sequenceOf returns the sequence of a key for a given number of items of all ranks.
func sequenceOf(key, keys, items uint64) sequence {
	if key >= items {
		return sequence{first: key, step: keys}
	}
	return sequence{key, keys, (items-key-1)/keys + 1}
}

// total returns the total of these items by kind.
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

// marks returns the sum of the marks of the pebbles of these items, of one key, if none was merged.
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

// sum returns the sum of n+1 over the sequence, modulo 2^64.
func (s sequence) sum() uint64 {
	a, b := s.count, s.count-1
	if a%2 == 0 { // halve before bits above 64 are lost
		a /= 2
	} else {
		b /= 2
	}
	return s.count*(s.first+1) + s.step*(a*b)
}

// part is the pebble of sum: some items of one key.
type part struct{ Key, Count, Sum uint64 }

func sums() flow[part] {
	return flow[part]{
		reduction: reduce.Combine(func(a, b part) part { return part{a.Key, a.Count + b.Count, a.Sum + b.Sum} }),
		make: func(ps []part, numbers []uint64, keys uint64) {
			for i, n := range numbers {
				ps[i] = part{n % keys, 1, n + 1}
			}
		},
		keys: func(ps []part, keys []uint64) {
			for i, p := range ps {
				keys[i] = p.Key
			}
		},
		add: func(totals []Total, first uint64, ps []part) (astray, marks uint64) {
			for _, p := range ps {
				at := p.Key - first
				if at >= uint64(len(totals)) {
					astray++
					continue
				}
				t := &totals[at]
				t.Count += p.Count
				t.Value += p.Sum
			}
			return astray, 0
		},
	}
}

// tally is the pebble of count: a number of items of one key. It takes 8 bytes, so keys and items must fit 32 bits.
type tally struct{ Key, Count uint32 }

// countMax is the limit of the numbers of items and of keys of count.
const countMax = 1 << 32

func counts() flow[tally] {
	return flow[tally]{
		reduction: reduce.Combine(func(a, b tally) tally { return tally{a.Key, a.Count + b.Count} }),
		make:      makeTallies,
		keys: func(ts []tally, keys []uint64) {
			keys = keys[:len(ts)]
			for i, t := range ts {
				keys[i] = uint64(t.Key)
			}
		},
		add: func(totals []Total, first uint64, ts []tally) (astray, marks uint64) {
			for _, t := range ts {
				at := uint64(t.Key) - first
				if at >= uint64(len(totals)) {
					astray++
					continue
				}
				totals[at].Count += uint64(t.Count)
			}
			return astray, 0
		},
	}
}

func makeTallies(ts []tally, numbers []uint64, keys uint64) {
	ts = ts[:len(numbers)]
	if mask := keys - 1; keys&mask == 0 { // a division takes longer than everything else
		for i, n := range numbers {
			ts[i] = tally{uint32(n & mask), 1}
		}
		return
	}
	for i, n := range numbers {
		ts[i] = tally{uint32(n % keys), 1}
	}
}

// candidate is the pebble of max and of distinct: a value for a key.
type candidate struct{ Key, Value uint64 }

func candidateKeys(cs []candidate, keys []uint64) {
	keys = keys[:len(cs)]
	for i, c := range cs {
		keys[i] = c.Key
	}
}

func maxima() flow[candidate] {
	return flow[candidate]{
		reduction: reduce.Best(func(a, b candidate) bool { return a.Value > b.Value }),
		make: func(cs []candidate, numbers []uint64, keys uint64) {
			for i, n := range numbers {
				cs[i] = candidate{n % keys, n + 1}
			}
		},
		keys: candidateKeys,
		add: func(totals []Total, first uint64, cs []candidate) (astray, marks uint64) {
			for _, c := range cs {
				at := c.Key - first
				if at >= uint64(len(totals)) {
					astray++
					continue
				}
				t := &totals[at]
				t.Value = max(t.Value, c.Value)
				marks += mark(c.Key, c.Value)
			}
			return astray, marks
		},
	}
}

// values is the number of different values of a key under distinct.
const values = 4

func distincts() flow[candidate] {
	return flow[candidate]{
		reduction: reduce.Duplicates[candidate](),
		make: func(cs []candidate, numbers []uint64, keys uint64) {
			for i, n := range numbers {
				turn := n / keys
				cs[i] = candidate{n - turn*keys, turn % values}
			}
		},
		keys: candidateKeys,
		add: func(totals []Total, first uint64, cs []candidate) (astray, marks uint64) {
			for _, c := range cs {
				at := c.Key - first
				if at >= uint64(len(totals)) {
					astray++
					continue
				}
				totals[at].Value |= 1 << c.Value
				marks += mark(c.Key, c.Value)
			}
			return astray, marks
		},
	}
}

// list is the pebble of concatenate: the values of some items of one key. It has 64 bytes for any number of values.
type list struct {
	Key, Count uint64
	Values     [listMost]uint64 // the first Count are valid
}

const listMost = 6

func lists() flow[list] {
	return flow[list]{
		reduction: reduce.Concatenate(join),
		make: func(ls []list, numbers []uint64, keys uint64) {
			for i, n := range numbers {
				ls[i] = list{Key: n % keys, Count: 1, Values: [listMost]uint64{n + 1}}
			}
		},
		keys: func(ls []list, keys []uint64) {
			for i := range ls {
				keys[i] = ls[i].Key
			}
		},
		add: func(totals []Total, first uint64, ls []list) (astray, marks uint64) {
			for i := range ls {
				l := &ls[i]
				at := l.Key - first
				if at >= uint64(len(totals)) {
					astray++
					continue
				}
				t := &totals[at]
				t.Count += l.Count
				for _, v := range l.Values[:min(l.Count, listMost)] {
					t.Value += v
				}
			}
			return astray, 0
		},
	}
}

func join(held, next list) (joined list, ok bool) {
	if held.Count+next.Count > listMost {
		return held, false
	}
	copy(held.Values[held.Count:], next.Values[:next.Count])
	held.Count += next.Count
	return held, true
}
