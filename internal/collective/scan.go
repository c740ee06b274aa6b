package collective

// Scan leaves on each rank the values of all ranks up to and with it, merged (Hillis and Steele 1986): after k rounds a
// rank has what 2^k ranks up to itself have, and hands it to the rank that lacks just those. ⌈log2 P⌉ rounds; a rank
// sends one message for each power of two that is below its distance from the end. What is merged comes from lower
// ranks, from those next to the ones that the value has: a merge that puts it in front need not be commutative.
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
