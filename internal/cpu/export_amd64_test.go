package cpu

// WithoutAVX512 makes Split and Checksum do without it, until the function that it returns is called.
func WithoutAVX512() (again func()) {
	split, multiply := canSplitEights, canMultiplyWide
	canSplitEights, canMultiplyWide = false, false
	return func() { canSplitEights, canMultiplyWide = split, multiply }
}
