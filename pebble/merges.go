package pebble

import "cmp"

// Integer is any type of whole numbers.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Number is any type of numbers.
type Number interface {
	Integer | ~float32 | ~float64 | ~complex64 | ~complex128
}

// Sum is a + b. It and its neighbours are merges for [AllReduce], [Scan] and reduce.Combine: all are associative and
// commutative, but for the rounding of floating-point sums and products.
func Sum[T Number](a, b T) T { return a + b }

// Product is a * b.
func Product[T Number](a, b T) T { return a * b }

// Min is the smaller of both, or NaN when one is.
func Min[T cmp.Ordered](a, b T) T { return min(a, b) }

// Max is the larger of both, or NaN when one is.
func Max[T cmp.Ordered](a, b T) T { return max(a, b) }

// And has the bits that both have.
func And[T Integer](a, b T) T { return a & b }

// Or has the bits that one of them has, or both.
func Or[T Integer](a, b T) T { return a | b }

// Xor has the bits that just one of them has.
func Xor[T Integer](a, b T) T { return a ^ b }

// LogicalAnd is whether both are true.
func LogicalAnd[T ~bool](a, b T) T { return a && b }

// LogicalOr is whether one of them is true, or both.
func LogicalOr[T ~bool](a, b T) T { return a || b }

// LogicalXor is whether just one of them is true: over all ranks, whether an odd number is.
func LogicalXor[T ~bool](a, b T) T { return a != b }
