package collective

import "math/bits"

// Action is the effect of a step on the machine's value.
type Action uint8

const (
	// Send sends the value to the peer.
	Send Action = iota
	// SendHead sends the part of the value before At to the peer.
	SendHead
	// CutTail sends the part of the value from At on to the peer, and drops it.
	CutTail
	// Merge waits for the peer's value and merges it into the front of ours.
	Merge
	// Replace waits for the peer's value and replaces ours.
	Replace
	// Append waits for the peer's value and appends it to ours.
	Append
	// Turn moves the part of the value before At behind the rest of it, without a message.
	Turn
	// SendRecords sends the first At records of the value to the peer: see [AppendRecord].
	SendRecords
	// TurnRecords moves the first At records of the value behind the others, without a message.
	TurnRecords
)

// Step is one message of a collective on one rank. A send and its matching receive have equal tags.
type Step struct {
	Action Action
	Peer   int
	Tag    uint32
	At     int // where the value is divided, in bytes or in records
}

const lastTag = 1 << 16

// AllReduce merges the values of all ranks, and leaves the result on each, by recursive doubling. The merge must be
// associative and commutative. Ranks beyond the largest power of two M send their value to a partner and wait for the
// result: ⌊log2 P⌋ rounds, and two more if P is no power of two. A rank below M sends ⌊log2 P⌋ messages, and one more
// if it has a partner; the others send one.
func AllReduce(rank, ranks int) []Step {
	m := 1 << (bits.Len(uint(ranks)) - 1)
	if rank >= m {
		return []Step{{Send, rank - m, 0, 0}, {Replace, rank - m, lastTag, 0}}
	}
	var steps []Step
	folded := rank+m < ranks
	if folded {
		steps = append(steps, Step{Merge, rank + m, 0, 0})
	}
	for bit, tag := 1, uint32(1); bit < m; bit, tag = bit<<1, tag+1 {
		steps = append(steps, Step{Send, rank ^ bit, tag, 0}, Step{Merge, rank ^ bit, tag, 0})
	}
	if folded {
		steps = append(steps, Step{Send, rank + m, lastTag, 0})
	}
	return steps
}

// Barrier ends on no rank before all have begun, by dissemination: ⌈log2 P⌉ rounds of one message each.
func Barrier(rank, ranks int) []Step {
	var steps []Step
	for far, tag := 1, uint32(0); far < ranks; far, tag = far<<1, tag+1 {
		steps = append(steps,
			Step{Send, (rank + far) % ranks, tag, 0},
			Step{Merge, (rank - far + ranks) % ranks, tag, 0})
	}
	return steps
}

// Broadcast sends the root's value to every rank along a binomial tree: P-1 messages in ⌈log2 P⌉ rounds, of which the
// root sends the most, ⌈log2 P⌉.
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

// Gather sends every rank's value to the root along a binomial tree, appended in no order: P-1 messages in ⌈log2 P⌉
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

// tree returns a rank's parent and children in the binomial tree over all ranks with the given root: the parent lacks
// the rank's lowest bit, counted from the root. The parent of the root is -1; children are in order of their subtrees'
// size, the smallest first.
func tree(rank, ranks, root int) (parent int, children []int) {
	relative := (rank - root + ranks) % ranks
	parent = -1
	for bit := 1; bit < ranks; bit <<= 1 {
		if relative&bit != 0 {
			parent = (relative&^bit + root) % ranks
			break
		}
		if relative|bit < ranks {
			children = append(children, (relative|bit+root)%ranks)
		}
	}
	return parent, children
}
