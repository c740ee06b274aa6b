package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// shown is how many words are printed.
const shown = 10

// lists carries what is gathered. It is no hot path, so the ready-made codec serves.
var lists = avro.Must[[]count]()

// gatherTop returns the most frequent words of all ranks on rank 0, and nil on the others. A word is counted on one rank
// alone, so the most frequent of all are among the most frequent of each.
func gatherTop(r *pebble.Rank, counts map[string]uint64) ([]count, error) {
	var mine []count
	for word, n := range counts {
		mine = append(mine, count{word, n})
	}
	packed, err := lists.Append(nil, top(mine))
	if err != nil {
		return nil, fmt.Errorf("pack top words: %w", err)
	}
	all, err := r.GatherBytes(0, packed)
	if err != nil || all == nil {
		return nil, err
	}
	var candidates []count
	for rank, packed := range all {
		list, err := lists.Decode(packed)
		if err != nil {
			return nil, fmt.Errorf("unpack top words of rank %d: %w", rank, err)
		}
		candidates = append(candidates, list...)
	}
	return top(candidates), nil
}

// top sorts counts, the most frequent first and equal ones by word, and returns the first ones.
func top(counts []count) []count {
	slices.SortFunc(counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Word, b.Word))
	})
	return counts[:min(shown, len(counts))]
}
