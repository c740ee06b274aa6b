package randomaccess

// The stream's numbers are polynomials over GF(2) of degree below 64, bit i the coefficient of x^i, modulo
// x^64 + x^2 + x + 1. Number n is x^n.

// low is what x^64 is modulo the polynomial.
const low = 1<<2 | 1<<1 | 1

// next is the number after ran: ran times x.
func next(ran uint64) uint64 { return ran<<1 ^ uint64(int64(ran)>>63)&low }

// times multiplies two numbers, by Horner's rule over the bits of b.
func times(a, b uint64) uint64 {
	var product uint64
	for bit := 63; bit >= 0; bit-- {
		product = next(product) ^ a&-(b>>bit&1)
	}
	return product
}

// number is number n of the stream, by squaring: it takes a few microseconds wherever n lies.
func number(n uint64) uint64 {
	ran := uint64(1)
	for bit := 63; bit >= 0; bit-- {
		ran = times(ran, ran)
		if n>>bit&1 == 1 {
			ran = next(ran)
		}
	}
	return ran
}

// total is the XOR of the numbers 1 to n: x + x^2 + ... + x^n, of which the second half is the first times x^(n/2).
func total(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	half := total(n / 2)
	sum := half ^ times(half, number(n/2))
	if n%2 == 1 {
		sum ^= number(n)
	}
	return sum
}

// fill sets rans to the numbers after ran, and returns the last.
func fill(rans []uint64, ran uint64) uint64 {
	for i := range rans {
		ran = next(ran)
		rans[i] = ran
	}
	return ran
}
