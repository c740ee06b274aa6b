package alltoall

import "github.com/activepebbles/pebbles/apps"

// pattern is what the bytes of all items follow from.
type pattern struct{ seed uint64 }

// first is the first word of an item. Those of two rounds differ between any two ranks.
func (p pattern) first(from, to uint32, round uint64) uint64 {
	return first(p.base(from, to), round)
}

// base is what the items from one rank to another have in common.
func (p pattern) base(from, to uint32) uint64 {
	return apps.Mix(p.seed ^ (uint64(from)<<32 | uint64(to)))
}

// first is a bijection of rounds.
func first(base, round uint64) uint64 { return base + round*0x9E3779B97F4A7C15 }

// mark is a bijection of first words. First words of a pair of ranks lie in equal steps, so sums of theirs would not
// tell rounds 1 and 4 from rounds 2 and 3. Sums of marks do.
func mark(first uint64) uint64 { return first ^ first>>32 }

// from are the bases of all items of a rank, by receiver.
func (p pattern) from(self, ranks int) []uint64 {
	bases := make([]uint64, ranks)
	for to := range bases {
		bases[to] = p.base(uint32(self), uint32(to))
	}
	return bases
}

// next is the word of an item after another: a step of a linear congruential generator, one multiplication.
func next(word uint64) uint64 { return word*6364136223846793005 + 1442695040888963407 }
