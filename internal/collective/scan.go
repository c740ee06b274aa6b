package collective

// Scan leaves on each rank the merged values of the ranks below it: on rank 0, none. A merge puts the value that has
// come in front, which is that of the ranks directly before those of the own value: it need not be commutative.
//
// A rank exchanges the merged value of its block, of 2^k ranks after k rounds, with the block beside it (Hillis and
// Steele 1986, on a hypercube): from the lower block it also gets what it lacks of the ranks below it. The blocks stop
// growing at the number of ranks in its slab: the slabs of P have the powers of two in it, the largest first. Then a
// rank sends the slab's value to the rank with the next bit set, if it exists, as that is of a later slab. So it takes
// ⌈log2 P⌉ rounds; a rank sends one message in each until then, and merges at most twice as often.
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
