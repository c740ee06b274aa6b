package reduction

import "github.com/activepebbles/pebbles/reduce"

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
