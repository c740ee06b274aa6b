package cpu

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// splitFours appends 4·fours words to a and b, with lanes from to. It stores up to 3 words beyond the appended ones, so
// both must have room for all.
//
//go:noescape
func splitFours(a, b, vs, to, moves unsafe.Pointer, fours int) (inB int)

// moves has, for each four lanes of 0 or 1, the order of 32-bit halves that puts lane 0 first, and the one that puts
// lane 1 first.
var moves = func() (all [16][2][8]uint32) {
	for lanes := range all {
		var n [2]int
		for word := range 4 {
			lane := lanes >> word & 1
			order := &all[lanes][lane]
			order[2*n[lane]], order[2*n[lane]+1] = uint32(2*word), uint32(2*word+1)
			n[lane]++
		}
	}
	return all
}()

// splitEights is splitFours for 8·eights words.
//
//go:noescape
func splitEights(a, b, vs, to unsafe.Pointer, eights int) (inB int)

// canSplit and canSplitEights report whether the processor has the instructions of splitFours and splitEights.
var (
	canSplit       = cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT
	canSplitEights = canSplit && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
)

// Split appends words to a where to is 0, and to b where it is 1, in order. It splits a multiple of 8 words if the
// processor has AVX-512, of 4 if it has AVX2, and none otherwise. The caller splits the rest, word by word. It returns
// the number of words split, and the number of these in b. Both must have room for all. It costs 0.2 to 0.5 ns per
// word.
func Split(a, b unsafe.Pointer, to []uint32, vs unsafe.Pointer) (put, inB int) {
	if eights := len(to) / 8; eights > 0 && canSplitEights {
		return 8 * eights, splitEights(a, b, vs, unsafe.Pointer(&to[0]), eights)
	}
	if fours := len(to) / 4; fours > 0 && canSplit {
		return 4 * fours, splitFours(a, b, vs, unsafe.Pointer(&to[0]), unsafe.Pointer(&moves), fours)
	}
	return 0, 0
}

// fieldsEights is Fields for 8·eights words.
//
//go:noescape
func fieldsEights(words unsafe.Pointer, mask, shift uint64, to unsafe.Pointer, eights int)

// Fields puts into to[i] the lower half of words[i] & mask >> shift, for a multiple of 8 words, and returns the number
// of words done. It costs 0.3 ns per word. Without AVX2 it does none: the caller does the rest.
func Fields(words []uint64, mask uint64, shift uint8, to []uint32) (done int) {
	eights := min(len(words), len(to)) / 8
	if !canSplit || eights == 0 {
		return 0
	}
	fieldsEights(unsafe.Pointer(&words[0]), mask, uint64(shift), unsafe.Pointer(&to[0]), eights)
	return 8 * eights
}
