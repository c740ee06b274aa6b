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

// Edges on their way to the owners of their tails: up to 3 heads travel as one pebble.
func ExampleConcatenate() {
	type edges struct {
		tail  uint64
		n     int
		heads [3]uint64
	}
	cache := reduce.NewCache(reduce.Concatenate(func(held, next edges) (edges, bool) {
		if held.n+next.n > len(held.heads) {
			return held, false
		}
		held.n += copy(held.heads[held.n:], next.heads[:next.n])
		return held, true
	}), 1024)

	for head := range uint64(4) {
		full, _, ok := cache.FilterOne(edges{tail: 7, n: 1, heads: [3]uint64{head}}, 7)
		if ok {
			fmt.Println("full:", full.heads[:full.n])
		}
	}
	out, keys := make([]edges, 8), make([]uint64, 8)
	n := cache.Drain(out, keys)
	fmt.Println("left:", out[0].heads[:out[0].n], "in", n, "with", cache.Merged(), "merged")
	// Output:
	// full: [0 1 2]
	// left: [3] in 1 with 2 merged
}

// A batch passes by a cache that doesn't pay: here, no two keys are the same.
func ExampleCache_Advise() {
	cache := reduce.NewCache(reduce.First[uint64](), 64)
	batch, through := make([]uint64, 256), 0
	for i := range 10_000 {
		for j := range batch {
			batch[j] = uint64(i*len(batch) + j)
		}
		n := len(batch)
		switch cache.Advise(n) {
		case reduce.Use:
			n = cache.Filter(batch, append([]uint64{}, batch...))
			through++
		case reduce.Watch:
			cache.Watch(batch) // these are their own keys
		}
		_ = batch[:n] // travels on
	}
	fmt.Println(through < 200, cache.Tries() > 0, cache.Off() > 2_500_000)
	// Output: true true true
}

// Distances to vertices: one that is no shorter than an earlier one would change nothing.
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
