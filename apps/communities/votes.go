package communities

import (
	"math/bits"

	"github.com/activepebbles/pebbles/apps/distgraph"
)

// votes counts labels in a table with open addressing, at least twice as large as a row. A row uses only the first
// places of the table, so that those of short rows stay in the cache. It empties them afterwards.
type votes[V distgraph.Index] struct {
	labels []V
	counts []V // 0 for an empty place
	used   []V // places in use
}

// newVotes returns a table that fits each of some rows.
func newVotes[V distgraph.Index](rows *distgraph.Rows[V]) *votes[V] {
	longest := uint64(0)
	for v, end := range rows.Offsets[1:] {
		longest = max(longest, end-rows.Offsets[v])
	}
	size := uint64(1) << logSize(longest)
	return &votes[V]{labels: make([]V, size), counts: make([]V, size), used: make([]V, 0, longest)}
}

// logSize returns the logarithm of the size of the table for a row of this length.
func logSize(length uint64) int { return bits.Len64(length) + 1 }

// most returns the most frequent of the values at some slots; the smallest wins a tie. It returns own without slots.
func (t *votes[V]) most(values, slots []V, own V) (best V) {
	switch len(slots) {
	case 0:
		return own
	case 1:
		return values[slots[0]]
	case 2:
		return min(values[slots[0]], values[slots[1]])
	}
	log, most := logSize(uint64(len(slots))), V(0)
	mask := V(1)<<log - 1
	for _, slot := range slots {
		label := values[slot]
		at := V(uint64(label) * 0x9E3779B97F4A7C15 >> (64 - log))
		for t.counts[at] > 0 && t.labels[at] != label {
			at = (at + 1) & mask
		}
		if t.counts[at] == 0 {
			t.labels[at] = label
			t.used = append(t.used, at)
		}
		t.counts[at]++
		if n := t.counts[at]; n > most || n == most && label < best {
			most, best = n, label
		}
	}
	for _, at := range t.used {
		t.counts[at] = 0
	}
	t.used = t.used[:0]
	return best
}
