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
		add: func(totals []Total, first uint64, cs []candidate) {
			for _, c := range cs {
				totals[c.Key-first].Value |= 1 << c.Value
			}
		},
	}
}
