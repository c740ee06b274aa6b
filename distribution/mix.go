package distribution

// Two odd numbers with no pattern in their bits: the fractions of the golden ratio and of the square root of 2.
const (
	golden = 0x9e3779b97f4a7c15
	root2  = 0x6a09e667f3bcc909
)

// mix is a bijection of 64 bits: each bit of x changes about half of the bits of the result. A multiplication carries
// low bits up, a shift brings high bits down.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= golden
	x ^= x >> 29
	x *= root2
	return x ^ x>>32
}
