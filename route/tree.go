package route

import "math/bits"

type tree int

// Tree connects ranks as a binomial tree with its root at rank 0. A rank's parent lacks the lowest bit of the rank, so
// the ranks below each are consecutive. A route goes up to the first rank that has its destination below, and then
// down.
//
// Guarantees: hops equal to the distance in the tree, at most 2 log2 P; at most ⌈log2 P⌉ neighbours, all of them at the
// root, which half of all routes pass; 2(P-1) frames for an all-to-all of one pebble each, the fewest of all; at most
// 2⌈log2 P⌉ stages: links up, the lowest level first, and then links down, the highest first.
func Tree(ranks int) Topology {
	mustRanks("tree", ranks)
	return tree(ranks)
}

var (
	_ Router  = tree(0)
	_ Staged  = tree(0)
	_ Bounded = tree(0)
)

func (t tree) Name() string { return "tree" }
func (t tree) Ranks() int   { return int(t) }

// level returns the number of links between a rank and the root.
func level(at int) int { return bits.OnesCount(uint(at)) }

// levels returns the deepest level of the ranks below a number.
func levels(ranks int) int {
	return max(level(ranks-1), bits.Len(uint(ranks-1))-1, 0)
}

// Hops: the root's last child has the rank of the highest power of two, 2^k, and lies above the rest; the child before
// it has a full tree of k levels with itself, and the one before that has k-1. The longest route joins the first two of
// these, or the last two.
func (t tree) Hops() int {
	if t <= 2 {
		return 1
	}
	k := bits.Len(uint(t-1)) - 1
	return k + max(1+levels(int(t)-1<<k), k-1)
}

func (t tree) Stages() int { return max(1, 2*levels(int(t))) }

func (t tree) Stage(from, to int) int {
	if to < from {
		return levels(int(t)) - level(from)
	}
	return levels(int(t)) + level(to) - 1
}

// reach returns the size, less one, of the subtree of a rank in a tree without end, itself included. The root has no
// lowest bit, and reaches all.
func reach(at uint32) uint32 { return at&-at - 1 }

// Neighbors returns the parent and then the children, each twice as far as the one before.
func (t tree) Neighbors(at int) []int {
	var all []int
	if at > 0 {
		all = append(all, at&(at-1))
	}
	for far := uint32(1); far <= reach(uint32(at)) && at+int(far) < int(t); far <<= 1 {
		all = append(all, at+int(far))
	}
	return all
}

func (t tree) Next(at, dest int) int {
	if down := uint32(dest) - uint32(at); down <= reach(uint32(at)) {
		return at + 1<<(bits.Len32(down)-1)
	}
	return at & (at - 1)
}

func (t tree) Slots(at int, dests, slots []uint32) {
	own, reach := uint32(at), reach(uint32(at))
	children := min(uint32(1), own) // index of the first
	self := children + uint32(bits.Len32(min(reach, uint32(t)-1-own)))
	slots = slots[:len(dests)]
	for i, dest := range dests {
		switch down := dest - own; {
		case down == 0:
			slots[i] = self
		case down <= reach:
			slots[i] = children + uint32(bits.Len32(down)) - 1
		default:
			slots[i] = 0
		}
	}
}
