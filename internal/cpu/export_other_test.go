//go:build !amd64

package cpu

// WithoutAVX512 does nothing: this processor has none.
func WithoutAVX512() (again func()) { return func() {} }
