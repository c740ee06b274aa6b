package distribution

import (
	"math"
	"math/bits"
)

// A divisor divides by a fixed number d with a multiplication and a shift; a hardware division takes several times as
// long.
//
// With 2^s <= d < 2^(s+1) the quotient x/d is (magic*x + add) >> (64+s), exact for every x, in one of two ways.
// Rounding 2^(64+s)/d up to magic is exact if it adds at most 2^s/d; rounding it down, and x up to x+1 (add = magic),
// is exact if it takes at most 2^s/d. The two errors add up to d/d, and d < 2*2^s, so one of them is small enough. A
// power of two rounds 2^64 down to 2^64-1.
type divisor struct {
	magic uint64
	add   uint64
	shift uint8
}

// newDivisor prepares divisions by d, which must not be 0.
func newDivisor(d uint64) divisor {
	shift := uint8(bits.Len64(d) - 1)
	power := uint64(1) << shift
	if d == power {
		return divisor{magic: math.MaxUint64, add: math.MaxUint64, shift: shift}
	}
	down, rest := bits.Div64(power, 0, d)
	if d-rest <= power {
		return divisor{magic: down + 1, add: 0, shift: shift}
	}
	return divisor{magic: down, add: down, shift: shift}
}

// quo returns x/d.
func (v divisor) quo(x uint64) uint64 {
	hi, lo := bits.Mul64(v.magic, x)
	_, carry := bits.Add64(lo, v.add, 0)
	hi, _ = bits.Add64(hi, 0, carry) // one instruction, unlike hi + carry
	return hi >> (v.shift & 63)
}
