#include "textflag.h"

// func splitFours(a, b, vs, to, moves unsafe.Pointer, fours int) (inB int)
//
// Four words at a time: the low bits of their lanes become an index of moves, and the two entries there say how a
// permutation of 32-bit halves brings those of lane 1, and those of lane 0, to the front. All four words are stored in
// both lanes, and each lane goes on behind its own.
TEXT ·splitFours(SB), NOSPLIT, $0-56
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ vs+16(FP), DX
	MOVQ to+24(FP), CX
	MOVQ moves+32(FP), R13
	MOVQ fours+40(FP), R8
	XORQ R9, R9

next:
	VMOVDQU   (CX), X1
	VPSLLD    $31, X1, X1
	VMOVMSKPS X1, R10
	MOVQ      R10, R11
	SHLQ      $6, R11
	VMOVDQU   (R13)(R11*1), Y2
	VMOVDQU   32(R13)(R11*1), Y3
	VPERMD    (DX), Y2, Y2
	VPERMD    (DX), Y3, Y3
	VMOVDQU   Y2, (DI)
	VMOVDQU   Y3, (SI)
	POPCNTL   R10, R10
	LEAQ      (SI)(R10*8), SI
	ADDQ      R10, R9
	SHLQ      $3, R10
	ADDQ      $32, DI
	SUBQ      R10, DI
	ADDQ      $32, DX
	ADDQ      $16, CX
	DECQ      R8
	JNZ       next
	VZEROUPPER
	MOVQ      R9, inB+48(FP)
	RET

// func splitEights(a, b, vs, to unsafe.Pointer, eights int) (inB int)
//
// Eight words at a time by AVX-512, which brings the words of a mask together by itself.
TEXT ·splitEights(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ vs+16(FP), DX
	MOVQ to+24(FP), CX
	MOVQ eights+32(FP), R8
	XORQ R9, R9

next:
	VMOVDQU    (CX), Y1
	VPTESTMD   Y1, Y1, K1
	KNOTB      K1, K2
	VMOVDQU64  (DX), Z0
	VPCOMPRESSQ Z0, K2, Z2
	VPCOMPRESSQ Z0, K1, Z3
	KMOVB      K1, R10
	VMOVDQU64  Z2, (DI)
	VMOVDQU64  Z3, (SI)
	POPCNTL    R10, R10
	LEAQ       (SI)(R10*8), SI
	ADDQ       R10, R9
	SHLQ       $3, R10
	ADDQ       $64, DI
	SUBQ       R10, DI
	ADDQ       $64, DX
	ADDQ       $32, CX
	DECQ       R8
	JNZ        next
	VZEROUPPER
	MOVQ       R9, inB+40(FP)
	RET

// func fieldsEights(words unsafe.Pointer, mask, shift uint64, to unsafe.Pointer, eights int)
//
// Eight words at a time: the lower halves of what is left of them are brought together, and put in order.
TEXT ·fieldsEights(SB), NOSPLIT, $0-40
	MOVQ         words+0(FP), SI
	VPBROADCASTQ mask+8(FP), Y1
	VMOVQ        shift+16(FP), X2
	MOVQ         to+24(FP), DI
	MOVQ         eights+32(FP), CX

next:
	VPAND   (SI), Y1, Y3
	VPAND   32(SI), Y1, Y4
	VPSRLQ  X2, Y3, Y3
	VPSRLQ  X2, Y4, Y4
	VSHUFPS $0x88, Y4, Y3, Y3
	VPERMQ  $0xd8, Y3, Y3
	VMOVDQU Y3, (DI)
	ADDQ    $64, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     next
	VZEROUPPER
	RET
