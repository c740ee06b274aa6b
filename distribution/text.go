package distribution

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// HashString turns a text key into a 64-bit key. It gives the same number in every process, build and byte order. Two
// texts share a number by chance only, one in 2^64 for each pair; it does not resist deliberate collisions. It
// allocates nothing and takes a few nanoseconds, plus about one for each 16 bytes.
func HashString(s string) uint64 {
	return HashBytes(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// HashBytes is HashString for bytes: equal contents give equal numbers.
func HashBytes(b []byte) uint64 {
	h, length := uint64(golden), uint64(len(b))
	for len(b) > 16 {
		h = fold(word(b)^root2, word(b[8:])^h)
		b = b[16:]
	}
	lo, hi := ends(b)
	h = fold(lo^root2, hi^h)
	// The length distinguishes texts that differ only in zero bytes at the end.
	return mix(h ^ length*golden)
}

// ends returns the at most 16 bytes of b in two words, which overlap if b is shorter.
func ends(b []byte) (lo, hi uint64) {
	n := len(b)
	switch {
	case n >= 8:
		return word(b), word(b[n-8:])
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0: // first, middle and last byte are all bytes
		return uint64(b[0]) | uint64(b[n/2])<<8, uint64(b[n-1])
	}
	return 0, 0
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// fold multiplies into 128 bits and folds them to 64: every bit of both numbers reaches the middle of the product.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
