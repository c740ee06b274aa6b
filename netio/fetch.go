//go:build amd64 || arm64

package netio

import "unsafe"

// fetch asks the processor to bring so many bytes into its cache, and does not wait for them.
//
//go:noescape
func fetch(at unsafe.Pointer, bytes int)

// fetchLow asks for n elements of a table, of so many bytes each, and does not wait for them. The index of each is the low bits of
// one of n words that lie stride bytes apart.
//
//go:noescape
func fetchLow(table unsafe.Pointer, size uintptr, mask uint64, words unsafe.Pointer, stride uintptr, n int)

// relax tells the processor that its caller is waiting for another one in a loop. Looking less often leaves the cache line with
// whoever is about to write to it.
//
//go:noescape
func relax()
