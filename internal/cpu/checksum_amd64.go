package cpu

import (
	"math/bits"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// checksumBlocks continues the CRC32C with state sum over blocks of a shape.
//
//go:noescape
func checksumBlocks(sum uint32, at unsafe.Pointer, blocks int, s *shape) uint32

// checksumWide returns the CRC32C of blocks of wideBlock bytes, by AVX-512.
//
//go:noescape
func checksumWide(at unsafe.Pointer, blocks int, w *wide) uint32

// canMultiply and canMultiplyWide report whether the processor has the instructions of checksumBlocks and checksumWide.
var (
	canMultiply     = cpu.X86.HasPCLMULQDQ && cpu.X86.HasSSE42
	canMultiplyWide = canMultiply && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL &&
		cpu.X86.HasAVX512VPCLMULQDQ
)

// sumBlocks sums the whole blocks, and returns the rest.
func sumBlocks(b []byte) (sum uint32, rest []byte) {
	if canMultiplyWide {
		blocks := len(b) / wideBlock
		return checksumWide(unsafe.Pointer(&b[0]), blocks, &wideFolds), b[blocks*wideBlock:]
	}
	for i := range shapes {
		sum, b = shapes[i].update(sum, b)
	}
	return sum, b
}

// wide has powers of x, as a shape, for blocks of four parts of 64 bytes that are folded alone.
type wide struct {
	fold [2]uint64 // by a block
	join [2]uint64 // by 64 bytes: joins the four parts
	last [2]uint64 // by 16 bytes: joins the last quarters
}

const wideBlock = 256

var wideFolds = wide{fold: powers(wideBlock), join: powers(64), last: powers(16)}

// powers returns the multipliers for a number of bytes.
func powers(bytes uint64) [2]uint64 { return [2]uint64{power(8*bytes + 64 - 33), power(8*bytes - 33)} }

// shapes has shapes of blocks, the largest first. Each costs about 60 cycles at its end, when its parts are joined.
var shapes = func() []shape {
	if !canMultiply {
		return nil
	}
	return []shape{shapeOf(72), shapeOf(8)}
}()

// A shape has the lengths of the parts of a block. The processor has an instruction for the CRC of 8 bytes, and one
// that multiplies polynomials, and runs both at once; each waits several cycles for its last result. So a block has
// seven parts, processed in turn: four interleaved parts of 16 bytes per turn are folded by multiplication, and three
// parts after those are summed. (Gopal and others, Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
// Instruction, 2009.)
//
// Powers of x below are modulo the polynomial, lowest bit last, and 33 less than their multiplier: the difference comes
// from the order of bits. Those in pairs are for the lower and the upper half of 16 bytes.
type shape struct {
	fold  [2]uint64 // by 64 bytes: to the next 16 of a part
	join  [2]uint64 // by 16 bytes: joins the four parts
	parts [3]uint64 // by the bytes after the folded parts, and after the first and the second of the others
	turns uint64    // foldings of each part; 16 bytes for each that are summed
}

func shapeOf(turns uint64) shape {
	return shape{
		fold:  powers(64),
		join:  powers(16),
		parts: [3]uint64{power(8*3*16*turns - 33), power(8*2*16*turns - 33), power(8*16*turns - 33)},
		turns: turns,
	}
}

// bytes returns the size of a block.
func (s *shape) bytes() int { return int(64*(s.turns+1) + 3*16*s.turns) }

// update continues a sum over the whole blocks, and returns the rest.
func (s *shape) update(sum uint32, b []byte) (uint32, []byte) {
	blocks := len(b) / s.bytes()
	if blocks == 0 {
		return sum, b
	}
	return ^checksumBlocks(^sum, unsafe.Pointer(&b[0]), blocks, s), b[blocks*s.bytes():]
}

// power returns x^n.
func power(n uint64) uint64 {
	one := uint32(1 << 31)
	p := one
	for i := bits.Len64(n) - 1; i >= 0; i-- {
		p = multiply(p, p)
		if n>>i&1 == 1 {
			p = multiply(p, one>>1)
		}
	}
	return uint64(p)
}

// multiply multiplies polynomials.
func multiply(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 == 1 {
			product ^= b
		}
		b = b>>1 ^ -(b&1)&0x82F63B78 // times x
	}
	return product
}
