//go:build !amd64

package cpu

// WithoutEights does nothing: there is no AVX-512.
func WithoutEights() (again func()) { return func() {} }
