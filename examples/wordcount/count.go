package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// count is the pebble: a word with its number of occurrences.
type count struct {
	Word string
	N    uint64
}

// countWords counts the words of all files, and returns the counts of the words that this rank owns.
func countWords(r *pebble.Rank, files []string) (map[string]uint64, error) {
	counts := map[string]uint64{}
	words := target.New(r, "words", distribution.Hash(r.Size()),
		target.Key(func(c count) uint64 { return distribution.HashString(c.Word) }),
		target.Each(func(c count) { counts[c.Word] += c.N }),
		target.Coded[count](codec{}),
		target.Reduce(reduce.Combine(merge)), target.Cache(4096))

	err := r.Epoch(func() error {
		var batch []count
		return eachLine(files, func(number int, line string) {
			if number%r.Size() != r.ID() {
				return // another rank's line
			}
			batch = batch[:0]
			for _, word := range split(line) {
				batch = append(batch, count{word, 1})
			}
			words.SendAll(batch)
		})
	})
	return counts, err
}

// merge merges two pebbles with the same key. Two words share a key only if their hashes are equal, which no text is
// expected to show; stopping is better than counting them as one.
func merge(a, b count) count {
	if a.Word != b.Word {
		panic(fmt.Sprintf("wordcount: %q and %q have the same hash", a.Word, b.Word))
	}
	return count{a.Word, a.N + b.N}
}
