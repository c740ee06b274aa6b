package reduction

import "github.com/activepebbles/pebbles/reduce"

// list is the pebble of concatenate: the values of some items of one key, side by side. It has the same 64 bytes
// however many they are.
type list struct {
	Key, Count uint64
	Values     [listMost]uint64 // the first Count of them
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
