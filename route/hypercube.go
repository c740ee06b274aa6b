package route

import "math/bits"

type hypercube int

// Hypercube sends along the edges of a binary hypercube, one differing bit at a time, for any number of ranks (Active
// Pebbles, section 3.4).
//
// A pebble changes the bits that differ between its rank and its destination, the lowest first, so that all ranks
// forward the same number of routes if P is a power of two. Otherwise ranks above P-1 are missing, and a route must not
// pass them. A rank below P agrees with P above some bit h, which P has and the rank lacks. The ranks that agree with P
// there as well are a slab, from the rank's floor on. A pebble for a rank below the floor changes the highest bit
// first: it clears it, and then its destination lies in its slab, so this happens once. Within a slab the bits that
// differ are h and lower ones: as long as h is not set the rank is below P. h is set last, which leads to the
// destination itself.
//
// Guarantees: hops equal to the number of bits that differ, at most ⌈log2 P⌉; at most ⌈log2 P⌉ neighbours; one frame
// per link for an all-to-all of one pebble each, P log2 P if P is a power of two; all routes to one rank form a tree of
// P-1 edges. It has ⌈log2 P⌉ stages, one per bit, the lowest first. If P is no power of two, one more stage comes
// before them, for links out of slabs.
func Hypercube(ranks int) Topology {
	mustRanks("hypercube", ranks)
	return hypercube(ranks)
}

var (
	_ Router  = hypercube(0)
	_ Staged  = hypercube(0)
	_ Bounded = hypercube(0)
)

func (h hypercube) Name() string { return "hypercube" }
func (h hypercube) Ranks() int   { return int(h) }

// bits returns the number of bits of rank numbers.
func (h hypercube) bits() int { return bits.Len(uint(h - 1)) }

// Hops: the highest rank that is a power of two and the one before it differ in all bits.
func (h hypercube) Hops() int   { return max(1, h.bits()) }
func (h hypercube) Stages() int { return max(1, h.bits()+h.ragged()) }

// ragged returns 1 if the number of ranks is no power of two, and otherwise 0.
func (h hypercube) ragged() int { return min(1, int(h)&(int(h)-1)) }

func (h hypercube) Stage(from, to int) int {
	if uint32(to) < h.floor(uint32(from)) {
		return 0
	}
	return bits.Len(uint(from^to)) - 1 + h.ragged()
}

// floor returns the first rank of the slab of a rank.
func (h hypercube) floor(at uint32) uint32 {
	above := bits.Len32(at ^ uint32(h))
	return uint32(uint64(h) >> above << above)
}

// Neighbors returns neighbours in the order of the bit that differs.
func (h hypercube) Neighbors(at int) []int {
	var all []int
	for bit := 1; bit < int(h); bit <<= 1 {
		if at^bit < int(h) {
			all = append(all, at^bit)
		}
	}
	return all
}

func (h hypercube) Next(at, dest int) int {
	return at ^ int(nextBit(uint32(at), uint32(dest), h.floor(uint32(at))))
}

// nextBit returns the bit that a pebble at one rank changes first on its way to another; 0 at its destination.
func nextBit(at, dest, floor uint32) uint32 {
	differ := at ^ dest
	if dest < floor {
		return 1 << (bits.Len32(differ) - 1)
	}
	return differ & -differ
}

// Slots: a neighbour's index is the number of its bit, less the number of lower bits without a neighbour.
func (h hypercube) Slots(at int, dests, slots []uint32) {
	var index [64]uint32 // by number of the bit; 32 if no bit differs
	n := uint32(0)
	for bit := range 32 {
		index[bit] = n
		if 1<<bit < int(h) && at^(1<<bit) < int(h) {
			n++
		}
	}
	index[32] = n
	slots = slots[:len(dests)]
	floor := h.floor(uint32(at))
	for i, dest := range dests {
		slots[i] = index[bits.TrailingZeros32(nextBit(uint32(at), dest, floor))&63]
	}
}
