//go:build amd64 || arm64

package cpu

import "unsafe"

// Prefetch asks the processor to load so many bytes into its first-level cache, and does not wait for them.
//
//go:noescape
func Prefetch(at unsafe.Pointer, bytes int)

// prefetchLow prefetches n elements of a table, of size bytes each. The index of each is the low bits, by mask, of one of n
// words that lie stride bytes apart.
//
//go:noescape
func prefetchLow(table unsafe.Pointer, size uintptr, mask uint64, words unsafe.Pointer, stride uintptr, n int)

// Relax is the processor's pause instruction, for loops that wait for another core to write: a loop that looks less often
// leaves the cache line with the writer.
//
//go:noescape
func Relax()
