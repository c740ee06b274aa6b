package distribution

import (
	"fmt"
	"math"
)

// TableMap looks up the owner of each key. Made by [Table].
type TableMap struct {
	owners []uint32
	locals []uint32
	keys   []uint32 // keys of rank 0 in order, then those of rank 1, ...
	starts []int    // start of the keys of each rank; one more, the end
	sum    uint64   // of owners, to distinguish tables in Describe
}

// Table gives key k to rank owners[k]; the keys of a rank are numbered in rising order. It suits the result of a
// partitioner. It takes 12 bytes per key, in every process (ranks of one process may share one: it never changes).
// owners is copied. Table panics if ranks is not positive, an entry is not a rank, or there are 2^32 keys or more.
func Table[R ~int | ~int32 | ~uint32](owners []R, ranks int) *TableMap {
	checkRanks("table", ranks)
	if uint64(len(owners)) > math.MaxUint32 {
		panic(fmt.Sprintf("distribution: table of %d keys; it takes fewer than 2^32", len(owners)))
	}
	m := &TableMap{
		owners: make([]uint32, len(owners)),
		locals: make([]uint32, len(owners)),
		keys:   make([]uint32, len(owners)),
		starts: make([]int, ranks+1),
		sum:    golden,
	}
	for key, owner := range owners {
		if uint64(owner) >= uint64(ranks) { // also if negative
			panic(fmt.Sprintf("distribution: table gives key %d to rank %d of %d", key, owner, ranks))
		}
		m.owners[key] = uint32(owner)
		m.starts[owner+1]++
		m.sum = mix(m.sum + uint64(owner))
	}
	m.number()
	return m
}

// number sets locals and keys from owners and starts from the lengths of the ranks.
func (m *TableMap) number() {
	for rank := range m.Ranks() {
		m.starts[rank+1] += m.starts[rank]
	}
	next := make([]uint32, m.Ranks())
	for key, owner := range m.owners {
		local := next[owner]
		next[owner]++
		m.locals[key] = local
		m.keys[m.starts[owner]+int(local)] = uint32(key)
	}
}

// Ranks implements Map.
func (m *TableMap) Ranks() int { return len(m.starts) - 1 }

// Len implements Indexed.
func (m *TableMap) Len() uint64 { return uint64(len(m.owners)) }

// Owner implements Map.
func (m *TableMap) Owner(key uint64) int {
	if key >= uint64(len(m.owners)) {
		return -1
	}
	return int(m.owners[key])
}

// Owners implements Batcher.
func (m *TableMap) Owners(keys []uint64, owners []uint32) int {
	table := m.owners
	owners = owners[:len(keys)]
	for i, key := range keys {
		if key >= uint64(len(table)) {
			return i
		}
		owners[i] = table[key]
	}
	return -1
}

// Local implements Indexed.
func (m *TableMap) Local(key uint64) int {
	if key >= uint64(len(m.locals)) {
		panic(outside)
	}
	return int(m.locals[key])
}

// Key implements Indexed.
func (m *TableMap) Key(rank, local int) uint64 {
	return uint64(m.keys[m.starts[rank]+local])
}

// LocalLen implements Indexed.
func (m *TableMap) LocalLen(rank int) int {
	checkRank(rank, m.Ranks())
	return m.starts[rank+1] - m.starts[rank]
}

// Describe implements Describer.
func (m *TableMap) Describe() string {
	return fmt.Sprintf("table(n=%d, ranks=%d, sum=%016x)", m.Len(), m.Ranks(), m.sum)
}
