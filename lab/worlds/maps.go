package worlds

import "github.com/activepebbles/pebbles/distribution"

// maps are the distributions of keys: those of package distribution, and some like those of programs.
var maps = []func(keys uint64, ranks int) distribution.Map{
	func(keys uint64, ranks int) distribution.Map { return distribution.Cyclic(keys, ranks) },
	func(keys uint64, ranks int) distribution.Map { return distribution.Block(keys, ranks) },
	func(_ uint64, ranks int) distribution.Map { return distribution.Hash(ranks) },
	func(_ uint64, ranks int) distribution.Map { return scattered(ranks) },
	func(_ uint64, ranks int) distribution.Map { return batched{scattered(ranks)} },
	func(_ uint64, ranks int) distribution.Map { return lastRank(ranks) },
}

// scattered is a program's distribution that returns one owner at a time.
type scattered int

func (s scattered) Ranks() int           { return int(s) }
func (s scattered) Owner(key uint64) int { return int(mix(key, 7) % uint64(s)) }

// batched returns many owners at a time.
type batched struct{ scattered }

func (b batched) Owners(keys []uint64, owners []uint32) int {
	for i, key := range keys {
		owners[i] = uint32(b.Owner(key))
	}
	return -1
}

// lastRank gives all keys to the last rank.
type lastRank int

func (l lastRank) Ranks() int       { return int(l) }
func (l lastRank) Owner(uint64) int { return int(l) - 1 }
