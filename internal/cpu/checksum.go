package cpu

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksumLeast is from how many bytes on blocks are looked for. It is no less than a block of AVX-512 has.
const checksumLeast = 512

// Checksum is the CRC32C of b: crc32.Checksum with the polynomial of Castagnoli. Where the processor can multiply
// polynomials it is faster from a kilobyte on: go test -bench Checksum has both.
func Checksum(b []byte) uint32 {
	if len(b) < checksumLeast {
		return crc32.Checksum(b, castagnoli)
	}
	sum, rest := sumBlocks(b)
	return crc32.Update(sum, castagnoli, rest)
}
