package distribution

import "fmt"

// BlockMap gives each rank one block of consecutive keys. Made by [Block].
type BlockMap struct {
	n      uint64
	size   uint64 // keys in a full block, at least 1
	bySize divisor
	ranks  int
}

// Block spreads the keys [0, n) over ranks in blocks of ceil(n/ranks) keys: rank 0 owns the first block, rank 1 the
// second. The last blocks may be shorter or empty. It panics if ranks is not positive or a block does not fit an int.
//
// For the fastest local index, a rank computes first := m.Key(rank, 0) once: the local index of its own keys is key -
// first, without the division in Local.
func Block(n uint64, ranks int) *BlockMap {
	checkRanks("block", ranks)
	size := ceilDiv(n, uint64(ranks))
	checkLocal("block", n, ranks, size)
	size = max(size, 1)
	return &BlockMap{n: n, size: size, bySize: newDivisor(size), ranks: ranks}
}

// Ranks is the distribution of the ranks themselves: key k belongs to rank k. It is the block distribution of as many
// keys as ranks, for targets whose pebbles name their destination rank, and for data with one piece per rank. It panics
// if ranks is not positive.
func Ranks(ranks int) *BlockMap {
	checkRanks("ranks", ranks)
	return Block(uint64(ranks), ranks)
}

func ceilDiv(n, d uint64) uint64 {
	q := n / d
	if n%d != 0 {
		q++
	}
	return q
}

// Ranks implements Map.
func (m *BlockMap) Ranks() int { return m.ranks }

// Len implements Indexed.
func (m *BlockMap) Len() uint64 { return m.n }

// Owner implements Map.
func (m *BlockMap) Owner(key uint64) int {
	if key >= m.n {
		return -1
	}
	return int(m.bySize.quo(key))
}

// Owners implements Batcher.
func (m *BlockMap) Owners(keys []uint64, owners []uint32) int {
	owners = owners[:len(keys)]
	n, bySize := m.n, m.bySize // in registers
	if m.size&(m.size-1) == 0 {
		return shiftAll(keys, owners, n, bySize.shift)
	}
	for i, key := range keys {
		if key >= n {
			return i
		}
		owners[i] = uint32(bySize.quo(key))
	}
	return -1
}

// shiftAll is Owners for blocks of 2^shift keys. For shift 0, where a key is its owner, the loop is half as long.
func shiftAll(keys []uint64, owners []uint32, n uint64, shift uint8) int {
	if shift == 0 {
		for i, key := range keys {
			if key >= n {
				return i
			}
			owners[i] = uint32(key)
		}
		return -1
	}
	for i, key := range keys {
		if key >= n {
			return i
		}
		owners[i] = uint32(key >> (shift & 63))
	}
	return -1
}

// Shift reports whether all blocks have 2^bits keys, except the last ones, which may be shorter: the owner of a key is
// the key without its lowest bits.
func (m *BlockMap) Shift() (bits int, ok bool) {
	return int(m.bySize.shift), m.size&(m.size-1) == 0
}

// Local implements Indexed.
func (m *BlockMap) Local(key uint64) int {
	if key >= m.n {
		panic(outside)
	}
	return int(key - m.bySize.quo(key)*m.size)
}

// Key implements Indexed.
func (m *BlockMap) Key(rank, local int) uint64 {
	return uint64(rank)*m.size + uint64(local)
}

// LocalLen implements Indexed.
func (m *BlockMap) LocalLen(rank int) int {
	checkRank(rank, m.ranks)
	switch full := m.n / m.size; {
	case uint64(rank) < full:
		return int(m.size)
	case uint64(rank) == full:
		return int(m.n % m.size)
	default:
		return 0
	}
}

// Run returns the number of keys from this one on that are neighbours at its owner.
func (m *BlockMap) Run(key uint64) uint64 {
	owner := m.Owner(key)
	return uint64(m.LocalLen(owner) - m.Local(key))
}

// Describe implements Describer.
func (m *BlockMap) Describe() string {
	return fmt.Sprintf("block(n=%d, ranks=%d)", m.n, m.ranks)
}
