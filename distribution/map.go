package distribution

import (
	"fmt"
	"math"
)

// Map is the mapping of keys to owners that a target needs. All ranks must hold equal maps; a Map must always give the
// same answer, from any goroutine. (A Directory is the one exception to both.)
type Map interface {
	// Ranks returns the number of ranks that keys are spread over.
	Ranks() int
	// Owner returns the rank that owns key, in [0, Ranks), or a negative number if key is outside the distribution.
	Owner(key uint64) int
}

// Batcher computes the owners of many keys in one call. All distributions of this package implement it.
type Batcher interface {
	// Owners sets owners[i] to the owner of keys[i] and returns -1; owners must be at least as long as keys. It stops
	// at the first key outside the distribution and returns its index i: owners[:i] is filled, the rest is undefined.
	// Neither slice is kept.
	Owners(keys []uint64, owners []uint32) int
}

// Indexed is a Map of the keys [0, Len) that also numbers the keys of each rank 0, 1, 2, ... without gaps, so that a
// rank can keep their data in a slice.
type Indexed interface {
	Map
	// Len returns the number of keys; keys from Len on are outside.
	Len() uint64
	// Local returns the index of key among the keys of its owner, in [0, LocalLen). It panics if key is outside.
	Local(key uint64) int
	// Key is the inverse of Owner and Local: it returns the key with this owner and this local index. The result is
	// undefined unless 0 <= rank < Ranks and 0 <= local < LocalLen(rank).
	Key(rank, local int) uint64
	// LocalLen returns the number of keys that rank owns. It panics if there is no such rank.
	LocalLen(rank int) int
}

// Describer is a Map with a description. Registering a target compares the descriptions of all ranks, so equal maps
// must have equal descriptions.
type Describer interface {
	// Describe returns one line such as "block(n=1000, ranks=4)".
	Describe() string
}

// Proven reports whether a map belongs to this package, whose tests prove that every owner is a rank. Code that uses
// owners as indices checks those of other maps.
func Proven(m Map) bool {
	switch m := m.(type) {
	case *BlockMap, *BlockCyclicMap, *CyclicMap, *HashMap, *ShuffledMap, *TableMap, *TileMap:
		return true
	case *Directory:
		return Proven(m.base)
	}
	return false
}

// BatcherOf returns m itself if it is a Batcher; otherwise a Batcher that calls m key by key, at the cost of an
// interface call for each. An owner that 32 bits can't hold, which is no rank, becomes their largest number.
func BatcherOf(m Map) Batcher {
	if b, ok := m.(Batcher); ok {
		return b
	}
	return oneByOne{m}
}

type oneByOne struct{ Map }

func (m oneByOne) Owners(keys []uint64, owners []uint32) int {
	for i, key := range keys {
		owner := m.Owner(key)
		if owner < 0 {
			return i
		}
		owners[i] = uint32(min(uint64(owner), math.MaxUint32))
	}
	return -1
}

// outside is a constant, without the key in it, so that Local stays small enough to be inlined into handlers.
const outside = "distribution: Local of a key outside the distribution; Owner tells which keys are inside"

// checkRanks panics unless the uint32 of Owners can number the ranks.
func checkRanks(name string, ranks int) {
	if ranks <= 0 || ranks > math.MaxInt32 {
		panic(fmt.Sprintf("distribution: %s over %d ranks; it takes 1 to %d", name, ranks, math.MaxInt32))
	}
}

// checkLocal panics unless the largest number of keys of one rank fits an int.
func checkLocal(name string, n uint64, ranks int, most uint64) {
	if most > math.MaxInt {
		panic(fmt.Sprintf("distribution: %s of %d keys over %d ranks gives one rank %d keys; a local index must fit an int",
			name, n, ranks, most))
	}
}

// checkRank panics unless rank is one of ranks.
func checkRank(rank, ranks int) {
	if rank < 0 || rank >= ranks {
		panic(fmt.Sprintf("distribution: LocalLen of rank %d of %d", rank, ranks))
	}
}
