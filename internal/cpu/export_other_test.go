//go:build !amd64

package cpu

// WithoutAVX512 does nothing: there is none.
func WithoutAVX512() (again func()) { return func() {} }
