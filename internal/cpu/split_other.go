//go:build !amd64

package cpu

import "unsafe"

// Split puts no word: nothing is known that would be faster on this processor than to put one by one.
func Split(_, _ unsafe.Pointer, _ []uint32, _ unsafe.Pointer) (put, inB int) { return 0, 0 }

// Fields does no word, for the same reason.
func Fields(_ []uint64, _ uint64, _ uint8, _ []uint32) (done int) { return 0 }
