package termination

import "encoding/binary"

// Numbers travel as 8 bytes, little-endian. Sums wrap.

func putNumber(value []byte, n uint64) { binary.LittleEndian.PutUint64(value, n) }
func getNumber(value []byte) uint64    { return binary.LittleEndian.Uint64(value) }

const numberSize = 8

// addNumbers adds a run of numbers to a run of equal length.
func addNumbers(into, from []byte) {
	for i := 0; i < len(into); i += numberSize {
		putNumber(into[i:], getNumber(into[i:])+getNumber(from[i:]))
	}
}
