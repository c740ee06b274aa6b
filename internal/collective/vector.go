package collective

import "math/bits"

// Index returns the place of a rank's value in the vectors of [AllGather] and [ReduceScatter]. Each rank below the
// largest power of two M is followed by its partner, M above it, if that exists. If P is a power of two, the place is
// the rank.
func Index(rank, ranks int) int {
	m := power(ranks)
	if rank >= m {
		return 2*(rank-m) + 1
	}
	return rank + min(rank, ranks-m)
}

// RankAt is the inverse of [Index].
func RankAt(index, ranks int) int {
	m := power(ranks)
	if pairs := ranks - m; index >= 2*pairs {
		return index - pairs
	}
	return index/2 + index%2*m
}

// ReduceScatter merges vectors of P elements, one for each rank, and leaves on each rank its merged element. The value
// is the vector: P elements of size bytes, in the order of [Index]. merge folds a run of elements into a run of the
// same length, and must be associative and commutative.
//
// It works by recursive halving (Thakur, Rabenseifner and Gropp 2005), the reverse of [AllGather]: two ranks that
// differ in a bit, the highest first, divide the elements that both have. It takes the rounds and messages of
// [AllReduce]. A rank below the largest power of two sends P-1 elements in all, and every other rank P.
func ReduceScatter(rank, ranks, size int) []Step {
	var steps []Step
	for bit := power(ranks) >> 1; bit > 0; bit >>= 1 {
		first := rank &^ (bit<<1 - 1) // of the ranks whose elements both have
		at := (Index(first+bit, ranks) - Index(first, ranks)) * size
		cut, tag := CutTail, uint32(bits.Len(uint(bit)))
		if rank&bit != 0 {
			cut = CutHead
		}
		steps = append(steps, Step{cut, rank ^ bit, tag, at}, Step{Merge, rank ^ bit, tag, 0})
	}
	return folded(rank, ranks, Merge, steps, Step{Action: CutTail, At: size})
}

// AllGather sends every rank's value to every rank, in the order of [Index], by recursive doubling. Values may be
// records of different lengths (see [AppendRecord]). It takes the rounds and messages of [AllReduce]. A rank sends P-1
// values in all if P is a power of two, and otherwise less than 3P.
func AllGather(rank, ranks int) []Step { return doubling(rank, ranks, Append, Prepend) }

// ByRank puts the values of an [AllGather], all of one length, in the order of ranks. The result is in other memory
// unless P is a power of two.
func ByRank(values []byte, ranks int) []byte {
	if ranks == power(ranks) {
		return values
	}
	size, sorted := len(values)/ranks, make([]byte, 0, len(values))
	for rank := range ranks {
		at := Index(rank, ranks) * size
		sorted = append(sorted, values[at:at+size]...)
	}
	return sorted
}
