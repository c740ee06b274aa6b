package cpu

// WithoutEights makes Split do without AVX-512, until the function that it returns is called.
func WithoutEights() (again func()) {
	had := canSplitEights
	canSplitEights = false
	return func() { canSplitEights = had }
}
