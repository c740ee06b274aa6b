package main

import (
	"cmp"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
)

// shown is the number of words printed.
const shown = 10

// gatherTop returns the most frequent words of all ranks on rank 0, and nil on the others. A word is counted on one
// rank alone, so the most frequent of all are among the most frequent of each.
func gatherTop(r *pebble.Rank, counts map[string]uint64) ([]count, error) {
	var mine []count
	for word, n := range counts {
		mine = append(mine, count{word, n})
	}
	all, err := pebble.GatherSlice(r, 0, top(mine), codec{})
	if err != nil || all == nil {
		return nil, err
	}
	return top(slices.Concat(all...)), nil
}

// top sorts counts, the most frequent first and equal ones by word, and returns the first ones.
func top(counts []count) []count {
	slices.SortFunc(counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Word, b.Word))
	})
	return counts[:min(shown, len(counts))]
}
