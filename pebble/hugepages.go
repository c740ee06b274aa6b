package pebble

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// HugePages makes a slice of n zero elements, as make does, on huge pages if the system has them. It is for data of
// some megabytes or more that handlers access in random order: with small pages, address translation takes much of that
// time. The garbage collector owns the slice like any other. The rank that uses the memory should touch it first.
func HugePages[T any](n int) []T {
	table := make([]T, n)
	if bytes := uintptr(n) * unsafe.Sizeof(*new(T)); bytes > 0 {
		cpu.HugePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(table))), bytes))
	}
	return table
}
