package alltoall

// pattern is what the bytes of all items follow from.
type pattern struct{ seed uint64 }

// first is the first word of an item. Those of two rounds differ between any two ranks: both steps are bijections.
func (p pattern) first(from, to uint32, round uint64) uint64 {
	return mix(mix(p.seed^(uint64(from)<<32|uint64(to))) + round)
}

// next is the word of an item after another: a step of a linear congruential generator, one multiplication.
func next(word uint64) uint64 { return word*6364136223846793005 + 1442695040888963407 }

// mix is a bijection that spreads every bit over all: the finalizer of SplitMix64.
func mix(v uint64) uint64 {
	v += 0x9E3779B97F4A7C15
	v = (v ^ v>>30) * 0xBF58476D1CE4E5B9
	v = (v ^ v>>27) * 0x94D049BB133111EB
	return v ^ v>>31
}
