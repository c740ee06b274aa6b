package pebble

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Table makes a slice of n zero elements, as make does, on huge pages where the system has them: for a rank's own data that
// handlers visit in random order, of some megabytes or more, where looking up addresses of small pages takes a good part of
// the time. The garbage collector owns it as any other slice. The memory is best touched first by the rank that uses it.
func Table[T any](n int) []T {
	table := make([]T, n)
	if bytes := uintptr(n) * unsafe.Sizeof(*new(T)); bytes > 0 {
		cpu.HugePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(table))), bytes))
	}
	return table
}
