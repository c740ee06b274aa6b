package route

import (
	"math"
	"math/bits"
)

// divisor divides numbers of 32 bits by a constant, with a multiplication instead of a division.
type divisor struct {
	magic uint64 // 2^64/by, rounded up; 0 for by 1, where it would overflow
}

// newDivisor: rounding up adds less than n/2^64 to a quotient n/by. That is less than the distance to the next whole
// number, at least 1/by, as long as n times by is below 2^64.
func newDivisor(by uint32) divisor {
	if by == 1 {
		return divisor{}
	}
	return divisor{math.MaxUint64/uint64(by) + 1}
}

func (d divisor) quotient(n uint32) uint32 {
	if d.magic == 0 {
		return n
	}
	high, _ := bits.Mul64(d.magic, uint64(n))
	return uint32(high)
}
