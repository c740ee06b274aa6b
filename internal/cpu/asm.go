//go:build amd64 || arm64

package cpu

import "unsafe"

// Prefetch asks the processor to load the given number of bytes into its first-level cache, and does not wait for them.
//
//go:noescape
func Prefetch(at unsafe.Pointer, bytes int)

// prefetchAt is Prefetch for an arbitrary address.
//
//go:noescape
func prefetchAt(at uintptr, bytes int)

// goroutine returns the address of the runtime's record of the calling goroutine.
//
//go:noescape
func goroutine() uintptr

// captured returns the first two words that a function value has captured, or the memory there.
//
//go:noescape
func captured(function uintptr) (first, second uintptr)

// prefetchLow prefetches n elements of a table, of size bytes each. The indices are the low bits, by mask, of n words
// that lie stride bytes apart.
//
//go:noescape
func prefetchLow(table unsafe.Pointer, size uintptr, mask uint64, words unsafe.Pointer, stride uintptr, n int)

// Relax is the processor's pause instruction, for loops that wait for another core to write: a loop that reads less
// often leaves the cache line with the writer.
//
//go:noescape
func Relax()

// Caller returns the return address of the calling function, for runtime.CallersFrames: the caller's caller, if the
// function is not inlined. It reads the stack, at the cost of two loads.
//
//go:noescape
func Caller() uintptr

// Callers is Caller with the calls above it, the innermost first, up to CallersMost. It leaves the other elements
// unchanged.
//
//go:noescape
func Callers(into *[CallersMost]uintptr)

// CalledBy reports whether Callers would store these calls, the elements behind them being 0. It costs less.
//
//go:noescape
func CalledBy(calls *[CallersMost]uintptr) bool
