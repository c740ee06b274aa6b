package main

import (
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

const text = "a rose is a rose is a rose"

func main() {
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		counts, err := run(r, text, "a", "rose", "thorn")
		if err == nil && r.ID() == 0 {
			fmt.Println("a, rose and thorn, said by every rank:", counts)
		}
		return err
	})
}

// run counts the words of a text that this rank has read, and returns the numbers of occurrences of words on all ranks.
func run(r *pebble.Rank, text string, ask ...string) ([]uint64, error) {
	counts := map[string]uint64{} // of this rank's part of all words
	s := task.New(r)
	owner, travels := distribution.Hash(r.Size()), target.Coded(pebble.Strings{}) // questions; answers are plain data
	count := delegate.New(s, "count", owner, distribution.HashString, func(word string) uint64 {
		counts[word]++
		return counts[word]
	}, travels)
	get := delegate.New(s, "get", owner, distribution.HashString, func(word string) uint64 { return counts[word] },
		travels)

	if err := s.Run(func() {
		for word := range strings.FieldsSeq(text) {
			count.Do(word) // one way, without an answer
		}
	}); err != nil {
		return nil, err
	}
	answers := make([]uint64, len(ask))
	err := s.Run(func() { get.CallAll(ask, answers) })
	return answers, err
}
