package distribution

// A shuffle is a pseudo-random bijection of the numbers of a fixed count of bits. Each round is invertible: it adds a
// number, multiplies by an odd number (mod 2^bits both), and folds the upper half onto the lower, which is its own
// inverse.
type shuffle struct {
	mask   uint64
	fold   uint8 // at least half of the bits
	rounds [shuffleRounds]shuffleRound
}

type shuffleRound struct{ add, mul uint64 }

// shuffleRounds is the smallest number of rounds that spreads strided keys like random ones.
const shuffleRounds = 3

// newShuffle makes the shuffle of [0, 2^width) for a seed.
func newShuffle(width int, seed uint64) shuffle {
	s := shuffle{mask: 1<<width - 1, fold: uint8((width + 1) / 2)}
	for i := range s.rounds {
		seed += golden
		add := mix(seed)
		seed += golden
		s.rounds[i] = shuffleRound{add: add, mul: mix(seed) | 1}
	}
	return s
}

func (s *shuffle) apply(x uint64) uint64 {
	fold, mask := s.fold&63, s.mask
	x = (x + s.rounds[0].add) * s.rounds[0].mul & mask
	x ^= x >> fold
	x = (x + s.rounds[1].add) * s.rounds[1].mul & mask
	x ^= x >> fold
	x = (x + s.rounds[2].add) * s.rounds[2].mul & mask
	return x ^ x>>fold
}

func (s *shuffle) invert(x uint64) uint64 {
	for i := len(s.rounds) - 1; i >= 0; i-- {
		x ^= x >> (s.fold & 63)
		x = (x*inverse(s.rounds[i].mul) - s.rounds[i].add) & s.mask
	}
	return x
}

// inverse returns the inverse of the odd number m (mod 2^64). m is its own inverse in the lowest 3 bits; each step of
// Newton's doubles them.
func inverse(m uint64) uint64 {
	x := m
	for right := 3; right < 64; right *= 2 {
		x *= 2 - m*x
	}
	return x
}
