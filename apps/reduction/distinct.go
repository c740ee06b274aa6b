package reduction

import "github.com/activepebbles/pebbles/reduce"

// values is how many different values a key may have under distinct.
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
