package distribution

import "fmt"

// CyclicMap deals keys to the ranks in turn. Made by [Cyclic].
type CyclicMap struct {
	n       uint64
	ranks   uint64
	byRanks divisor
}

// Cyclic gives key k of [0, n) to rank k mod ranks, as its local index k / ranks. No two ranks differ by more than one
// key. It panics if ranks is not positive or the keys of one rank do not fit an int.
func Cyclic(n uint64, ranks int) *CyclicMap {
	checkRanks("cyclic", ranks)
	checkLocal("cyclic", n, ranks, ceilDiv(n, uint64(ranks)))
	return &CyclicMap{n: n, ranks: uint64(ranks), byRanks: newDivisor(uint64(ranks))}
}

// Ranks implements Map.
func (m *CyclicMap) Ranks() int { return int(m.ranks) }

// Len implements Indexed.
func (m *CyclicMap) Len() uint64 { return m.n }

// Owner implements Map.
func (m *CyclicMap) Owner(key uint64) int {
	if key >= m.n {
		return -1
	}
	return int(key - m.byRanks.quo(key)*m.ranks)
}

// Owners implements Batcher.
func (m *CyclicMap) Owners(keys []uint64, owners []uint32) int {
	owners = owners[:len(keys)]
	n, ranks, byRanks := m.n, m.ranks, m.byRanks // in registers
	for i, key := range keys {
		if key >= n {
			return i
		}
		owners[i] = uint32(key - byRanks.quo(key)*ranks)
	}
	return -1
}

// Local implements Indexed.
func (m *CyclicMap) Local(key uint64) int {
	if key >= m.n {
		panic(outside)
	}
	return int(m.byRanks.quo(key))
}

// Key implements Indexed.
func (m *CyclicMap) Key(rank, local int) uint64 {
	return uint64(local)*m.ranks + uint64(rank)
}

// LocalLen implements Indexed.
func (m *CyclicMap) LocalLen(rank int) int {
	checkRank(rank, int(m.ranks))
	length := m.n / m.ranks
	if uint64(rank) < m.n%m.ranks {
		length++
	}
	return int(length)
}

// Describe implements Describer.
func (m *CyclicMap) Describe() string {
	return fmt.Sprintf("cyclic(n=%d, ranks=%d)", m.n, m.ranks)
}
