package collective

// Scan leaves on each rank the merged values of all lower ranks; rank 0 has none. A merge puts the received value in
// front. That value is from the ranks directly below those of the own value, so merge need not be commutative.
//
// A rank exchanges the merged value of its block, which has 2^k ranks after k rounds, with the adjacent block (Hillis
// and Steele 1986, on a hypercube). From a lower block it also gets the values of lower ranks that it lacks. The sizes
// of slabs are the powers of two in P, the largest first. A block stops growing at the size of its slab. Then a rank
// sends the slab's value to the rank with the next bit set, if it exists, since that is in a later slab. So a scan
// takes ⌈log2 P⌉ rounds; until then a rank sends one message per round, and merges at most twice per round.
func Scan(rank, ranks int) []Step {
	var steps []Step
	slab := power(rank ^ ranks)
	for bit, tag := 1, uint32(0); bit < ranks; bit, tag = bit<<1, tag+1 {
		peer, higher := rank^bit, rank&bit != 0
		if bit < slab || bit == slab && peer < ranks {
			steps = append(steps, Step{Send, peer, tag, 0})
		}
		switch {
		case higher:
			steps = append(steps, Step{Below, peer, tag, rank & (bit - 1)})
		case bit < slab:
			steps = append(steps, Step{Above, peer, tag, 0})
		}
	}
	return append(steps, Step{Before, 0, 0, rank})
}
