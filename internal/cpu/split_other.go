//go:build !amd64

package cpu

import "unsafe"

// Split splits no word: no faster method than single words is known for this processor.
func Split(_, _ unsafe.Pointer, _ []uint32, _ unsafe.Pointer) (put, inB int) { return 0, 0 }

// Fields does no word, for the same reason.
func Fields(_ []uint64, _ uint64, _ uint8, _ []uint32) (done int) { return 0 }
