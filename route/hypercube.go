package route

import "math/bits"

type hypercube int

// Hypercube sends along the edges of a binary hypercube, one differing bit at a time, for any number of ranks (Active
// Pebbles, section 3.4).
//
// A pebble first clears the bits that its destination lacks, the highest first, and then sets those that it wants, the
// lowest first. While bits are cleared the rank number only falls; while they are set it stays a part of the
// destination's: so every hop exists even when P is no power of two.
//
// Guarantees: at most ⌈log2 P⌉ hops, as many as bits differ; at most ⌈log2 P⌉ neighbours; a frame a link for an all-to-all
// of one pebble each, P log2 P when P is a power of two; all pebbles to one rank form a tree of P-1 edges. It has 2⌈log2 P⌉
// stages: clearing links, the highest bit first, come before setting links, the lowest bit first.
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
func (h hypercube) Stages() int { return max(1, 2*h.bits()) }

func (h hypercube) Stage(from, to int) int {
	bit := bits.Len(uint(from^to)) - 1
	if to < from {
		return h.bits() - 1 - bit
	}
	return h.bits() + bit
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
	return at ^ int(nextBit(uint32(at), uint32(dest)))
}

// nextBit is the bit that a pebble at one rank changes first on its way to another.
func nextBit(at, dest uint32) uint32 {
	if clearing := at &^ dest; clearing != 0 {
		return 1 << (bits.Len32(clearing) - 1)
	}
	setting := dest &^ at
	return setting & -setting
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
	for i, dest := range dests {
		slots[i] = index[bits.TrailingZeros32(nextBit(uint32(at), dest))&63]
	}
}
