package distribution

import "fmt"

// BlockCyclicMap deals blocks of keys to the ranks in turn. Made by [BlockCyclic].
type BlockCyclicMap struct {
	n       uint64
	block   uint64
	ranks   uint64
	byBlock divisor
	byRanks divisor
}

// BlockCyclic cuts the keys [0, n) into blocks of block keys and deals them out: block b goes to rank b mod ranks,
// after the blocks that the rank already has. The last block may be shorter. It panics if ranks or block is not
// positive, or the keys of one rank do not fit an int.
func BlockCyclic(n uint64, ranks int, block uint64) *BlockCyclicMap {
	checkRanks("block-cyclic", ranks)
	if block == 0 {
		panic("distribution: block-cyclic with blocks of 0 keys; a block needs at least 1")
	}
	m := &BlockCyclicMap{
		n: n, block: block, ranks: uint64(ranks),
		byBlock: newDivisor(block), byRanks: newDivisor(uint64(ranks)),
	}
	checkLocal("block-cyclic", n, ranks, m.length(0)) // no rank has more than rank 0
	return m
}

// Ranks implements Map.
func (m *BlockCyclicMap) Ranks() int { return int(m.ranks) }

// Len implements Indexed.
func (m *BlockCyclicMap) Len() uint64 { return m.n }

// Owner implements Map.
func (m *BlockCyclicMap) Owner(key uint64) int {
	if key >= m.n {
		return -1
	}
	b := m.byBlock.quo(key)
	return int(b - m.byRanks.quo(b)*m.ranks)
}

// Owners implements Batcher.
func (m *BlockCyclicMap) Owners(keys []uint64, owners []uint32) int {
	owners = owners[:len(keys)]
	n, ranks, byBlock, byRanks := m.n, m.ranks, m.byBlock, m.byRanks // in registers
	for i, key := range keys {
		if key >= n {
			return i
		}
		b := byBlock.quo(key)
		owners[i] = uint32(b - byRanks.quo(b)*ranks)
	}
	return -1
}

// Local implements Indexed.
func (m *BlockCyclicMap) Local(key uint64) int {
	if key >= m.n {
		panic(outside)
	}
	b := m.byBlock.quo(key)
	// The blocks of this rank before b, and the keys of b before key.
	return int(key - (b-m.byRanks.quo(b))*m.block)
}

// Key implements Indexed.
func (m *BlockCyclicMap) Key(rank, local int) uint64 {
	round := m.byBlock.quo(uint64(local))
	return uint64(local) + (round*(m.ranks-1)+uint64(rank))*m.block
}

// LocalLen implements Indexed.
func (m *BlockCyclicMap) LocalLen(rank int) int {
	checkRank(rank, int(m.ranks))
	return int(m.length(uint64(rank)))
}

func (m *BlockCyclicMap) length(rank uint64) uint64 {
	full := m.n / m.block
	length := full / m.ranks * m.block
	switch last := full % m.ranks; { // the rank after the last full block
	case rank < last:
		length += m.block
	case rank == last:
		length += m.n % m.block
	}
	return length
}

// Run returns the number of keys from this one on that are neighbours at its owner.
func (m *BlockCyclicMap) Run(key uint64) uint64 {
	return min(m.block-key%m.block, m.n-key)
}

// Describe implements Describer.
func (m *BlockCyclicMap) Describe() string {
	return fmt.Sprintf("blockcyclic(n=%d, ranks=%d, block=%d)", m.n, m.ranks, m.block)
}
