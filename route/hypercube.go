package route

import "math/bits"

type hypercube int

// Hypercube sends along the edges of a binary hypercube, one differing bit at a time, for any number of ranks (Active
// Pebbles, section 3.4).
//
// A pebble changes the bits in which its rank differs from its destination, the lowest first, so that all ranks forward
// alike where P is a power of two. Otherwise there are ranks missing above P-1, which a route must not pass. A rank
// below P agrees with P above some bit h, which P has and the rank lacks; the ranks that agree with P there as well are
// a slab, from the rank's floor on. A pebble for a rank below the floor changes the highest bit first: it clears it,
// and from there on its destination lies in its slab, so that this happens once. Within a slab the bits that differ are
// h and lower ones: as long as h is not set the rank is below P, and h is set last, which leads to the destination
// itself.
//
// Guarantees: at most ⌈log2 P⌉ hops, as many as bits differ; at most ⌈log2 P⌉ neighbours; a frame a link for an
// all-to-all of one pebble each, P log2 P when P is a power of two; all pebbles to one rank form a tree of P-1 edges.
// It has ⌈log2 P⌉ stages, one a bit, the lowest first; and one more, before them, for links out of slabs where P is no
// power of two.
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

// bits is how many bits rank numbers have.
func (h hypercube) bits() int { return bits.Len(uint(h - 1)) }

// Hops: the highest rank that is a power of two and the one before it differ in all bits.
func (h hypercube) Hops() int   { return max(1, h.bits()) }
func (h hypercube) Stages() int { return max(1, h.bits()+h.ragged()) }

// ragged is 1 where the number of ranks is no power of two.
func (h hypercube) ragged() int { return min(1, int(h)&(int(h)-1)) }

func (h hypercube) Stage(from, to int) int {
	if uint32(to) < h.floor(uint32(from)) {
		return 0
	}
	return bits.Len(uint(from^to)) - 1 + h.ragged()
}

// floor is the first rank of the slab of a rank.
func (h hypercube) floor(at uint32) uint32 {
	above := bits.Len32(at ^ uint32(h))
	return uint32(uint64(h) >> above << above)
}

// Neighbors are in order of the bit in which they differ.
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

// nextBit is the bit that a pebble at one rank changes first on its way to another; 0 when it is there.
func nextBit(at, dest, floor uint32) uint32 {
	differ := at ^ dest
	if dest < floor {
		return 1 << (bits.Len32(differ) - 1)
	}
	return differ & -differ
}

// Slots: a neighbour's index is the number of its bit, less the bits below it whose neighbour does not exist.
func (h hypercube) Slots(at int, dests, slots []uint32) {
	var index [64]uint32 // by number of the bit; 32 where no bit differs
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
