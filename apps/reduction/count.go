package reduction

import "github.com/activepebbles/pebbles/reduce"

// tally is the pebble of count: so many items of one key. It takes the 8 bytes of a number, so keys and items must fit
// 32 bits.
type tally struct{ Key, Count uint32 }

// countMax is how many items, and how many keys, count is for.
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
	if mask := keys - 1; keys&mask == 0 { // a division takes longer than all the rest
		for i, n := range numbers {
			ts[i] = tally{uint32(n & mask), 1}
		}
		return
	}
	for i, n := range numbers {
		ts[i] = tally{uint32(n % keys), 1}
	}
}
