package reduce_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/reduce"
)

// Counts of words on their way to the words' owners: those of one word become one.
func ExampleCombine() {
	type tally struct {
		word  uint64
		times int
	}
	cache := reduce.NewCache(reduce.Combine(func(a, b tally) tally {
		return tally{a.word, a.times + b.times}
	}), 1024)

	words := []uint64{7, 7, 9, 7}
	for _, word := range words {
		cache.FilterOne(tally{word, 1}, word)
	}
	out, keys := make([]tally, 8), make([]uint64, 8)
	n := cache.Drain(out, keys)
	times := map[uint64]int{}
	for _, t := range out[:n] {
		times[t.word] += t.times
	}
	fmt.Println(len(words), "in,", n, "out:", times)
	// Output: 4 in, 2 out: map[7:3 9:1]
}

// Distances to vertices: one no shorter than what went before would change nothing.
func ExampleBest() {
	type reach struct{ vertex, distance uint64 }
	cache := reduce.NewCache(reduce.Best(func(a, b reach) bool {
		return a.distance < b.distance
	}), 1024)

	batch := []reach{{5, 30}, {5, 40}, {6, 1}, {5, 20}, {5, 20}}
	keys := []uint64{5, 5, 6, 5, 5}
	n := cache.Filter(batch, keys)
	fmt.Println(batch[:n], cache.Merged(), "merged")
	// Output: [{5 30} {6 1} {5 20}] 2 merged
}

func ExampleDuplicates() {
	cache := reduce.NewCache(reduce.Duplicates[string](), 1024)
	batch := []string{"ash", "oak", "ash", "ash"}
	n := cache.Filter(batch, []uint64{1, 2, 1, 1})
	fmt.Println(batch[:n])
	// Output: [ash oak]
}

func ExampleFirst() {
	type visit struct{ vertex, parent uint64 }
	cache := reduce.NewCache(reduce.First[visit](), 1024)
	batch := []visit{{5, 1}, {5, 2}, {6, 2}}
	n := cache.Filter(batch, []uint64{5, 5, 6})
	fmt.Println(batch[:n])
	// Output: [{5 1} {6 2}]
}
