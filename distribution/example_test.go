package distribution_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
)

// A table of 10 words over 4 ranks, seen from rank 1.
func ExampleBlock() {
	words := distribution.Block(10, 4)
	table := make([]string, words.LocalLen(1))
	for _, key := range []uint64{3, 4, 5} {
		table[words.Local(key)] = fmt.Sprint("word ", key)
	}
	fmt.Println(words.Describe(), table)
	fmt.Println("owner of 9:", words.Owner(9), "owner of 10:", words.Owner(10))
	// Output:
	// block(n=10, ranks=4) [word 3 word 4 word 5]
	// owner of 9: 3 owner of 10: -1
}

// Pebbles are addressed to ranks.
func ExampleRanks() {
	ranks := distribution.Ranks(4)
	fmt.Println(ranks.Owner(3), ranks.Owner(4))
	// Output: 3 -1
}

func ExampleCyclic() {
	cards := distribution.Cyclic(10, 4)
	for rank := range cards.Ranks() {
		for local := range cards.LocalLen(rank) {
			fmt.Print(cards.Key(rank, local), " ")
		}
		fmt.Print("| ")
	}
	fmt.Println()
	// Output: 0 4 8 | 1 5 9 | 2 6 | 3 7 |
}

func ExampleBlockCyclic() {
	columns := distribution.BlockCyclic(10, 2, 3)
	owners := make([]uint32, 10)
	columns.Owners([]uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, owners)
	fmt.Println(owners)
	// Output: [0 0 0 1 1 1 0 0 0 1]
}

// Neighbours spread over the ranks, and all ranks own the same number of keys.
func ExampleShuffled() {
	vertices := distribution.Shuffled(1000, 4, 42)
	owner, local := vertices.Owner(7), vertices.Local(7)
	fmt.Println(vertices.Key(owner, local), vertices.LocalLen(0), vertices.LocalLen(3))
	// Output: 7 250 250
}

// Keys are texts.
func ExampleHashString() {
	words := distribution.Hash(4)
	owner := words.Owner(distribution.HashString("pebble"))
	fmt.Println(owner >= 0 && owner < words.Ranks(), owner == words.Owner(distribution.HashBytes([]byte("pebble"))))
	// Output: true true
}

// Use the result of a graph partitioner.
func ExampleTable() {
	parts := distribution.Table([]int{1, 0, 1, 1, 0}, 2)
	fmt.Println(parts.LocalLen(1), parts.Local(3), parts.Key(1, 2))
	// Output: 3 2 3
}

// A user's distribution needs two methods: here, even keys on rank 0 and odd on 1.
func ExampleMap() {
	var m distribution.Map = parity{}
	owners := make([]uint32, 3)
	bad := distribution.BatcherOf(m).Owners([]uint64{4, 5, 6}, owners)
	fmt.Println(owners, bad)
	// Output: [0 1 0] -1
}

type parity struct{}

func (parity) Ranks() int           { return 2 }
func (parity) Owner(key uint64) int { return int(key % 2) }

// Key 0 moves from rank 0 to rank 2; rank 1 has no news, so it asks the home.
func ExampleDirectory() {
	base := distribution.Block(10, 3)
	ranks := []*distribution.Directory{
		distribution.NewDirectory(base, 0),
		distribution.NewDirectory(base, 1),
		distribution.NewDirectory(base, 2),
	}
	version := ranks[0].Release(0, 2)
	ranks[2].Adopt(0, version) // the message of the move arrives

	rank := 1
	for !ranks[rank].Owns(0) {
		next := ranks[rank].Owner(0)
		fmt.Println("rank", rank, "sends on to", next)
		rank = next
	}
	// Output:
	// rank 1 sends on to 0
	// rank 0 sends on to 2
}
