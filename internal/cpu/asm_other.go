//go:build !amd64 && !arm64

package cpu

import (
	"runtime"
	"unsafe"
)

func Prefetch(unsafe.Pointer, int) {}

func prefetchAt(uintptr, int) {}

func goroutine() uintptr { return 0 }

func captured(uintptr) (first, second uintptr) { return 0, 0 }

func prefetchLow(unsafe.Pointer, uintptr, uint64, unsafe.Pointer, uintptr, int) {}

func Relax() {}

func Caller() uintptr {
	var at [1]uintptr
	runtime.Callers(3, at[:])
	return at[0]
}

func Callers(into *[CallersMost]uintptr) { runtime.Callers(3, into[:]) }

func CalledBy(calls *[CallersMost]uintptr) bool {
	var at [CallersMost]uintptr
	runtime.Callers(3, at[:])
	return at == *calls
}
