//go:build amd64 || arm64

package cpu

import "unsafe"

// Prefetch asks the processor to load so many bytes into its first-level cache, and does not wait for them.
//
//go:noescape
func Prefetch(at unsafe.Pointer, bytes int)

// prefetchAt is Prefetch at an address that may be of anything.
//
//go:noescape
func prefetchAt(at uintptr, bytes int)

// goroutine is the address of the runtime's record of the goroutine that calls.
//
//go:noescape
func goroutine() uintptr

// captured is the first two words that a function value has captured, or what lies there.
//
//go:noescape
func captured(function uintptr) (first, second uintptr)

// prefetchLow prefetches n elements of a table, of size bytes each. The index of each is the low bits, by mask, of one
// of n words that lie stride bytes apart.
//
//go:noescape
func prefetchLow(table unsafe.Pointer, size uintptr, mask uint64, words unsafe.Pointer, stride uintptr, n int)

// Relax is the processor's pause instruction, for loops that wait for another core to write: a loop that looks less
// often leaves the cache line with the writer.
//
//go:noescape
func Relax()

// Caller is where the function that calls it returns to, as runtime.CallersFrames takes it: who has called that
// function, if it is not inlined. It is read from the stack, at the cost of two loads.
//
//go:noescape
func Caller() uintptr

// Callers is Caller with the calls above it, the innermost first: as many as there are, at most CallersMost. The rest
// stays as it was.
//
//go:noescape
func Callers(into *[CallersMost]uintptr)
