//go:build !amd64 && !arm64

package netio

import "unsafe"

func fetch(unsafe.Pointer, int) {}

func fetchLow(unsafe.Pointer, uintptr, uint64, unsafe.Pointer, uintptr, int) {}

func relax() {}
