package reduction

import "github.com/activepebbles/pebbles/reduce"

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
