package cpu

// WithoutAVX512 disables AVX-512 for Split and Checksum, until the returned function is called.
func WithoutAVX512() (again func()) {
	split, multiply := canSplitEights, canMultiplyWide
	canSplitEights, canMultiplyWide = false, false
	return func() { canSplitEights, canMultiplyWide = split, multiply }
}
