package collective

// Scan leaves on each rank the merged values of all ranks up to and including it (Hillis and Steele 1986): after k
// rounds a rank has those of 2^k ranks up to itself, and sends them to the rank that lacks just those. It takes ⌈log2
// P⌉ rounds; a rank sends one message for each power of two below its distance from the end. A received value comes
// from the ranks directly before those of the own value: a merge that puts it in front need not be commutative.
func Scan(rank, ranks int) []Step {
	var steps []Step
	for far, tag := 1, uint32(0); far < ranks; far, tag = far<<1, tag+1 {
		if rank+far < ranks {
			steps = append(steps, Step{Send, rank + far, tag, 0})
		}
		if rank >= far {
			steps = append(steps, Step{Merge, rank - far, tag, 0})
		}
	}
	return steps
}
