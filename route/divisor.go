package route

import (
	"math"
	"math/bits"
)

// divisor divides numbers of 32 bits by one that is known beforehand, with a multiplication in place of a division.
type divisor struct {
	magic uint64 // 2^64/by, rounded up; 0 for by 1, where it would not fit
}

// newDivisor: rounding up adds less than n/2^64 to a quotient n/by, which is less than what lies between it and the
// next whole number, 1/by or more, as long as n times by is below 2^64.
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
