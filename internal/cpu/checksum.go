package cpu

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksumLeast is the size from which blocks are summed separately. It is at least the size of a block for AVX-512.
const checksumLeast = 512

// Checksum returns the CRC32C of b: crc32.Checksum with the polynomial of Castagnoli. If the processor can multiply
// polynomials it is faster from a kilobyte on: go test -bench Checksum has both.
func Checksum(b []byte) uint32 {
	if len(b) < checksumLeast {
		return crc32.Checksum(b, castagnoli)
	}
	sum, rest := sumBlocks(b)
	return crc32.Update(sum, castagnoli, rest)
}
