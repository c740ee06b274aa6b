package memory

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// A broken build contains this file and calls of it. The environment selects the harm: HARM is the fault, and HARM_AT
// lists parts of the names of the affected arrays.
var (
	harm     = os.Getenv("HARM")
	harmAt   = strings.Split(os.Getenv("HARM_AT"), ",")
	harmDone atomic.Bool
)

// harms reports whether a fault happens to this array, now, for the first time.
func (a *Array[T]) harms(fault string) bool {
	if harm != fault || !slices.ContainsFunc(harmAt, func(part string) bool {
		return part != "" &&
			strings.Contains(a.name, part)
	}) ||
		!harmDone.CompareAndSwap(false, true) {
		return false
	}
	fmt.Fprintln(os.Stderr, "harm is done")
	return true
}

// spoiled returns the index that is accessed instead of another one.
func (a *Array[T]) spoiled(i uint64, fault string) uint64 {
	if a.harms(fault) {
		return (i + 1) % a.n
	}
	return i
}

// spoiledFirst returns the indices that are accessed instead of others.
func (a *Array[T]) spoiledFirst(indices []uint64, fault string) []uint64 {
	if len(indices) > 0 && a.harms(fault) {
		indices = slices.Clone(indices)
		indices[0] = (indices[0] + 1) % a.n
	}
	return indices
}

// spoiledRange returns the begin of a range that is accessed instead of another one.
func (a *Array[T]) spoiledRange(lo uint64, length int, fault string) uint64 {
	if length > 0 && lo+uint64(length) < a.n && a.harms(fault) {
		return lo + 1
	}
	return lo
}
