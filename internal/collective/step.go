package collective

import "math/bits"

// Action is the effect of a step on the machine's value.
type Action uint8

const (
	// Send sends the value to the peer.
	Send Action = iota
	// CutTail sends the part of the value from At on to the peer, and drops it.
	CutTail
	// CutHead sends the part of the value before At to the peer, and drops it.
	CutHead
	// Merge waits for the peer's value and merges it into ours.
	Merge
	// Replace waits for the peer's value and replaces ours.
	Replace
	// Append waits for the peer's value and appends it to ours.
	Append
	// Prepend waits for the peer's value and puts it in front of ours.
	Prepend
	// Above waits for the value of the ranks directly above ours, and merges ours into it, in front.
	Above
	// Below waits for the value of the ranks directly below ours, and merges it into ours, in front. It also merges it
	// into the value of all lower ranks, which has At values so far.
	Below
	// Before replaces ours by the value of the At lower ranks; without any it is empty.
	Before
)

// Step is one message of a collective on one rank. A send and its matching receive have equal tags.
type Step struct {
	Action Action
	Peer   int
	Tag    uint32
	At     int // offset of a cut, in bytes; or a number of values
}

const lastTag = 1 << 16

// power returns the largest power of two up to P.
func power(ranks int) int { return 1 << (bits.Len(uint(ranks)) - 1) }

// AllReduce merges the values of all ranks, and leaves the result on each, by recursive doubling. The merge must be
// associative and commutative. Ranks beyond the largest power of two M send their value to a partner and wait for the
// result: ⌊log2 P⌋ rounds, and two more if P is no power of two. A rank below M sends ⌊log2 P⌋ messages, and one more
// if it has a partner; the others send one.
func AllReduce(rank, ranks int) []Step { return doubling(rank, ranks, Merge, Merge) }

// Barrier is an [AllReduce] without values: it ends on no rank before all have begun.
func Barrier(rank, ranks int) []Step { return AllReduce(rank, ranks) }

// doubling exchanges values between ranks that differ in one bit, the lowest bit first. A rank takes in values of
// higher ranks by the action higher, and of lower ranks by lower.
func doubling(rank, ranks int, higher, lower Action) []Step {
	var steps []Step
	for bit, tag := 1, uint32(1); bit < power(ranks); bit, tag = bit<<1, tag+1 {
		take := higher
		if rank&bit != 0 {
			take = lower
		}
		steps = append(steps, Step{Send, rank ^ bit, tag, 0}, Step{take, rank ^ bit, tag, 0})
	}
	return folded(rank, ranks, higher, steps, Step{Action: Send})
}

// folded extends steps of the ranks below the largest power of two M to all ranks. The partner of a rank is M above it,
// and may be missing. The rank takes in its partner's value first, by take, and sends it the result last, by give.
func folded(rank, ranks int, take Action, steps []Step, give Step) []Step {
	m := power(ranks)
	switch {
	case rank >= m:
		return []Step{{Send, rank - m, 0, 0}, {Replace, rank - m, lastTag, 0}}
	case rank+m >= ranks:
		return steps
	}
	give.Peer, give.Tag = rank+m, lastTag
	return append(append([]Step{{take, rank + m, 0, 0}}, steps...), give)
}

// Broadcast sends the root's value to every rank along a binomial tree: P-1 messages in ⌈log2 P⌉ rounds. A rank sends
// at most ⌈log2 P⌉.
func Broadcast(rank, ranks, root int) []Step {
	var steps []Step
	parent, children := tree(rank, ranks, root)
	if parent >= 0 {
		steps = append(steps, Step{Replace, parent, 0, 0})
	}
	for i := len(children) - 1; i >= 0; i-- { // the largest subtree first
		steps = append(steps, Step{Send, children[i], 0, 0})
	}
	return steps
}

// Gather sends every rank's value to the root along a binomial tree, appended in no set order: P-1 messages in ⌈log2 P⌉
// rounds, one from each rank except the root.
func Gather(rank, ranks, root int) []Step { return up(Append, rank, ranks, root) }

// Reduce merges the values of all ranks along a binomial tree, and leaves the result on the root: P-1 messages in ⌈log2
// P⌉ rounds, one from each rank except the root. The merge must be associative and commutative.
func Reduce(rank, ranks, root int) []Step { return up(Merge, rank, ranks, root) }

// up sends values to the root.
func up(a Action, rank, ranks, root int) []Step {
	var steps []Step
	parent, children := tree(rank, ranks, root)
	for _, child := range children {
		steps = append(steps, Step{a, child, 0, 0})
	}
	if parent >= 0 {
		steps = append(steps, Step{Send, parent, 0, 0})
	}
	return steps
}

// tree returns a rank's parent and children in a binomial tree over all ranks with the given root. The path from the
// root to a rank clears the bits that only the root has, and then sets the bits that only the rank has, each from the
// highest. So no rank on the path lies above both ends, and all exist. The parent of the root is -1. Children are in
// the order of their subtrees' sizes, the smallest first.
func tree(rank, ranks, root int) (parent int, children []int) {
	for _, turn := range [2]int{^root, root} { // from the end of the path to its beginning
		for bit := 1; bit < ranks; bit <<= 1 {
			switch {
			case turn&bit == 0:
			case (rank^root)&bit != 0:
				return rank ^ bit, children
			case rank^bit < ranks:
				children = append(children, rank^bit)
			}
		}
	}
	return -1, children
}
