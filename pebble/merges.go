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

// Sum returns a + b. It and its neighbours are merges for [AllReduce], [Scan] and reduce.Combine. All are associative
// and commutative, except for the rounding of floating-point sums and products.
func Sum[T Number](a, b T) T { return a + b }

// Product returns a * b.
func Product[T Number](a, b T) T { return a * b }

// Min returns the smaller of both, or NaN if one is NaN.
func Min[T cmp.Ordered](a, b T) T { return min(a, b) }

// Max returns the larger of both, or NaN if one is NaN.
func Max[T cmp.Ordered](a, b T) T { return max(a, b) }

// And returns the bits set in both.
func And[T Integer](a, b T) T { return a & b }

// Or returns the bits set in at least one.
func Or[T Integer](a, b T) T { return a | b }

// Xor returns the bits set in exactly one.
func Xor[T Integer](a, b T) T { return a ^ b }

// LogicalAnd reports whether both are true.
func LogicalAnd[T ~bool](a, b T) T { return a && b }

// LogicalOr reports whether at least one is true.
func LogicalOr[T ~bool](a, b T) T { return a || b }

// LogicalXor reports whether exactly one is true: over all ranks, whether an odd number is.
func LogicalXor[T ~bool](a, b T) T { return a != b }
