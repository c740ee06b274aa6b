package distribution

import (
	"fmt"
	"math/bits"
)

// HashMap spreads all 64-bit keys over the ranks by their hash. Made by [Hash].
type HashMap struct{ ranks uint64 }

// Hash distributes all 64-bit keys: a fixed hash of key k selects its rank. It has no local indices; a rank keeps its
// data in a Go map or the like. Keys that are not numbers go through [HashString] or [HashBytes] first. Like any hash
// it is balanced only on average; see [Shuffled] for [0, n). It panics if ranks is not positive.
func Hash(ranks int) *HashMap {
	checkRanks("hash", ranks)
	return &HashMap{ranks: uint64(ranks)}
}

// Ranks implements Map.
func (m *HashMap) Ranks() int { return int(m.ranks) }

// Owner implements Map. No key is outside.
func (m *HashMap) Owner(key uint64) int {
	// A hash is a fraction of 2^64: the same fraction of the ranks is its owner.
	owner, _ := bits.Mul64(mix(key), m.ranks)
	return int(owner)
}

// Owners implements Batcher.
func (m *HashMap) Owners(keys []uint64, owners []uint32) int {
	owners = owners[:len(keys)]
	for i, key := range keys {
		owner, _ := bits.Mul64(mix(key), m.ranks)
		owners[i] = uint32(owner)
	}
	return -1
}

// Describe implements Describer.
func (m *HashMap) Describe() string {
	return fmt.Sprintf("hash(ranks=%d)", m.ranks)
}
