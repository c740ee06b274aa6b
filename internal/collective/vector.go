package collective

import "math/bits"

// ReduceScatter merges vectors of P elements, one element for each rank, and leaves its own merged element on each
// rank. The value is the vector, by rank, P elements of size bytes; merge folds a run of elements into a run of the
// same length, and must be associative and commutative.
//
// A rank keeps sums for the ranks in front of it, by distance: first for those at distances below the smallest power of
// two that covers all ranks, and half as many after each round. The sums for the farther half go to the rank in the
// middle, whose distance to those ranks is the remaining distance. So it is halving for any P, and the reverse of
// [AllGather]: ⌈log2 P⌉ rounds with one message per rank, of P/2 elements at most and then half as many each time, P-1
// elements in all (Bruck et al. 1997, reversed).
func ReduceScatter(rank, ranks, size int) []Step {
	steps := []Step{{Turn, 0, 0, rank * size}} // the own element comes first
	for bit := rounds(ranks) - 1; bit >= 0; bit-- {
		far, tag := 1<<bit, uint32(bit)
		steps = append(steps,
			Step{CutTail, (rank + far) % ranks, tag, far * size},
			Step{Merge, (rank - far + ranks) % ranks, tag, 0})
	}
	return steps
}

// AllGather sends every rank's value of size bytes to every rank, by rank, by Bruck's algorithm (Bruck et al. 1997):
// after k rounds a rank has the values of 2^k ranks from itself on, and sends them to the rank that lacks just those.
// It takes ⌈log2 P⌉ rounds with one message per rank, P-1 values in all.
func AllGather(rank, ranks, size int) []Step {
	var steps []Step
	for bit := range rounds(ranks) {
		far, tag := 1<<bit, uint32(bit)
		steps = append(steps,
			Step{SendHead, (rank - far + ranks) % ranks, tag, min(far, ranks-far) * size},
			Step{Append, (rank + far) % ranks, tag, 0})
	}
	return append(steps, Step{Turn, 0, 0, (ranks - rank) % ranks * size}) // rank 0's comes first
}

// AllGatherV is [AllGather] for values of any length: each rank begins with one record, and ends with those of all
// ranks, by rank.
func AllGatherV(rank, ranks int) []Step {
	steps := AllGather(rank, ranks, 1)
	for i, s := range steps {
		switch s.Action {
		case SendHead:
			steps[i].Action = SendRecords
		case Turn:
			steps[i].Action = TurnRecords
		}
	}
	return steps
}

// rounds returns ⌈log2 P⌉.
func rounds(ranks int) int { return bits.Len(uint(ranks - 1)) }
