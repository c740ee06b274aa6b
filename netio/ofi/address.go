package ofi

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"unsafe"
)

func addressOf(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

func byAddress(r region, at uintptr) int { return cmp.Compare(addressOf(r.mem), at) }

// random is 64 random bits.
func random() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
