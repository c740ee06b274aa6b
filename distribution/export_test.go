package distribution

// Quo divides x by d as the maps do.
func Quo(x, d uint64) uint64 { return newDivisor(d).quo(x) }

// Mix is the hash under Hash and Table.
var Mix = mix

// Apply and Invert are the shuffle of [0, 2^width) and its inverse.
func Apply(width int, seed, x uint64) uint64 {
	s := newShuffle(width, seed)
	return s.apply(x)
}

func Invert(width int, seed, x uint64) uint64 {
	s := newShuffle(width, seed)
	return s.invert(x)
}
