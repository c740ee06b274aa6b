package distribution

import (
	"fmt"
	"math/bits"
)

// ShuffledMap deals keys to the ranks in a pseudo-random order. Made by [Shuffled].
type ShuffledMap struct {
	order shuffle
	dealt CyclicMap
	seed  uint64
}

// Shuffled puts the keys [0, n) into a pseudo-random order given by seed, and deals them out in that order.
// Neighbouring or strided keys spread over all ranks, yet no two ranks differ by more than one key, and a key can be
// computed from its owner and local index. All ranks must use the same seed. It panics if ranks is not positive or the
// keys of one rank do not fit an int.
//
// A lookup costs a few times that of the other maps: the order is a bijection of the next power of two, and a place
// beyond n is mapped again until it falls inside, twice at most on average.
func Shuffled(n uint64, ranks int, seed uint64) *ShuffledMap {
	checkRanks("shuffled", ranks)
	checkLocal("shuffled", n, ranks, ceilDiv(n, uint64(ranks)))
	width := bits.Len64(max(n, 1) - 1)
	return &ShuffledMap{order: newShuffle(width, seed), dealt: *Cyclic(n, ranks), seed: seed}
}

// place returns the place of key, which must be inside, in the order. The walk ends: a bijection leads every number
// around a cycle, and key itself lies inside.
func (m *ShuffledMap) place(key uint64) uint64 {
	for {
		key = m.order.apply(key)
		if key < m.dealt.n {
			return key
		}
	}
}

// Ranks implements Map.
func (m *ShuffledMap) Ranks() int { return m.dealt.Ranks() }

// Len implements Indexed.
func (m *ShuffledMap) Len() uint64 { return m.dealt.n }

// Owner implements Map.
func (m *ShuffledMap) Owner(key uint64) int {
	if key >= m.dealt.n {
		return -1
	}
	return m.dealt.Owner(m.place(key))
}

// placesChunk is small enough for its places to stay on the stack and in the cache.
const placesChunk = 256

// Owners implements Batcher.
func (m *ShuffledMap) Owners(keys []uint64, owners []uint32) int {
	var places [placesChunk]uint64
	for from := 0; from < len(keys); from += placesChunk {
		chunk := keys[from:min(from+placesChunk, len(keys))]
		inside := m.places(chunk, &places)
		m.dealt.Owners(places[:inside], owners[from:])
		if inside < len(chunk) {
			return from + inside
		}
	}
	return -1
}

// places sets places to those of keys, up to the first key outside, and returns their number. It lists the places
// beyond n without an unpredictable branch, and maps just those again.
func (m *ShuffledMap) places(keys []uint64, places *[placesChunk]uint64) int {
	var behind [placesChunk]uint8
	n, again := m.dealt.n, 0
	for i, key := range keys {
		if key >= n {
			keys = keys[:i]
			break
		}
		place := m.order.apply(key)
		places[i&(placesChunk-1)] = place
		behind[again&(placesChunk-1)] = uint8(i)
		again += atLeast(place, n)
	}
	for again > 0 {
		list := behind[:again]
		again = 0
		for _, i := range list {
			place := m.order.apply(places[i])
			places[i] = place
			behind[again&(placesChunk-1)] = i
			again += atLeast(place, n)
		}
	}
	return len(keys)
}

// atLeast returns 1 if x >= n and 0 otherwise, without a branch.
func atLeast(x, n uint64) int {
	_, less := bits.Sub64(x, n, 0)
	return int(1 - less)
}

// Local implements Indexed.
func (m *ShuffledMap) Local(key uint64) int {
	if key >= m.dealt.n {
		panic(outside)
	}
	return m.dealt.Local(m.place(key))
}

// Key implements Indexed.
func (m *ShuffledMap) Key(rank, local int) uint64 {
	key := m.dealt.Key(rank, local)
	if key >= m.dealt.n { // the walk back might never end
		panic(fmt.Sprintf("distribution: Key(%d, %d) of %s", rank, local, m.Describe()))
	}
	for {
		key = m.order.invert(key)
		if key < m.dealt.n {
			return key
		}
	}
}

// LocalLen implements Indexed.
func (m *ShuffledMap) LocalLen(rank int) int { return m.dealt.LocalLen(rank) }

// Describe implements Describer.
func (m *ShuffledMap) Describe() string {
	return fmt.Sprintf("shuffled(n=%d, ranks=%d, seed=%d)", m.dealt.n, m.dealt.ranks, m.seed)
}
