//go:build !amd64 && !arm64

package cpu

import "unsafe"

func Prefetch(unsafe.Pointer, int) {}

func prefetchLow(unsafe.Pointer, uintptr, uint64, unsafe.Pointer, uintptr, int) {}

func Relax() {}
