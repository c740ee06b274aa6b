//go:build !amd64

package coalesce

import "unsafe"

// split puts nothing: there is no faster way than scatterTwo's on this processor.
func split(_, _ unsafe.Pointer, _ []uint32, _ unsafe.Pointer) (put, inB int) { return 0, 0 }
