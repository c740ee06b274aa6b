package graph

// golden is the odd number nearest to 2^64 divided by the golden ratio; its multiples spread over all of uint64.
const golden = 0x9e3779b97f4a7c15

// mix is a bijection on 64 bits whose output bits each depend on all input bits (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// stream is a sequence of random words of which any can be had at once: the SplitMix64 sequence from a mixed seed.
type stream uint64

// newStream returns the stream for a seed; streams for different purposes are independent.
func newStream(seed, purpose uint64) stream { return stream(mix(mix(seed+golden) ^ purpose*golden)) }

// at returns the i-th word.
func (s stream) at(i uint64) uint64 { return mix(uint64(s) + (i+1)*golden) }
