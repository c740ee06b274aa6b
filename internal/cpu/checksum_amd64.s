#include "textflag.h"

// FOLD multiplies one of the four parts on to its next 16 bytes, which lie at offset, and adds those. X8 has the
// powers.
#define FOLD(part, offset) \
	MOVOU     offset(SI), X5     \
	MOVO      part, X4           \
	PCLMULQDQ $0x00, X8, X4      \
	PCLMULQDQ $0x11, X8, part    \
	PXOR      X5, part           \
	PXOR      X4, part

// JOIN multiplies a part on to the one behind it, and adds it. X9 has the powers.
#define JOIN(part, next) \
	MOVO      part, X4           \
	PCLMULQDQ $0x00, X9, X4      \
	PCLMULQDQ $0x11, X9, part    \
	PXOR      X4, next           \
	PXOR      part, next

// func checksumBlocks(sum uint32, at unsafe.Pointer, blocks int, s *shape) uint32
//
// SI goes through the four folded parts, X0 to X3. R8 to R10 are the three sums, at DI, DI+R11 and DI+2*R11.
TEXT ·checksumBlocks(SB), NOSPLIT, $0-36
	MOVL  sum+0(FP), AX
	MOVQ  at+8(FP), SI
	MOVQ  blocks+16(FP), BX
	MOVQ  s+24(FP), DX
	MOVOU 0(DX), X8
	MOVOU 16(DX), X9
	MOVQ  56(DX), R12 // turns
	MOVQ  R12, R11
	SHLQ  $4, R11

block:
	MOVQ  R12, CX
	MOVQ  R12, DI
	SHLQ  $6, DI
	LEAQ  64(SI)(DI*1), DI
	MOVOU 0(SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	MOVQ  AX, X4
	PXOR  X4, X0
	XORQ  R8, R8
	XORQ  R9, R9
	XORQ  R10, R10

turn:
	ADDQ   $64, SI
	CRC32Q 0(DI), R8
	FOLD(X0, 0)
	CRC32Q 0(DI)(R11*1), R9
	FOLD(X1, 16)
	CRC32Q 0(DI)(R11*2), R10
	FOLD(X2, 32)
	CRC32Q 8(DI), R8
	FOLD(X3, 48)
	CRC32Q 8(DI)(R11*1), R9
	CRC32Q 8(DI)(R11*2), R10
	ADDQ   $16, DI
	DECQ   CX
	JNZ    turn

	JOIN(X0, X1)
	JOIN(X1, X2)
	JOIN(X2, X3)
	MOVQ   X3, R13
	PEXTRQ $1, X3, R14
	XORQ   AX, AX
	CRC32Q R13, AX
	CRC32Q R14, AX

	LEAQ (DI)(R11*2), SI // the next block: DI is behind the first of the three

	// Each sum but the last is multiplied by what lies behind its part.
	MOVQ      32(DX), X4
	MOVQ      AX, X0
	PCLMULQDQ $0x00, X4, X0
	MOVQ      40(DX), X4
	MOVQ      R8, X1
	PCLMULQDQ $0x00, X4, X1
	MOVQ      48(DX), X4
	MOVQ      R9, X2
	PCLMULQDQ $0x00, X4, X2
	PXOR      X1, X0
	PXOR      X2, X0
	MOVQ      X0, R13
	XORQ      AX, AX
	CRC32Q    R13, AX
	XORQ      R10, AX

	DECQ BX
	JNZ  block
	MOVL AX, ret+32(FP)
	RET

// WFOLD multiplies a part on to what lies at its offset in the next block, and adds that. Z8 has the powers.
#define WFOLD(part, offset) \
	VPCLMULQDQ $0x00, Z8, part, Z4      \
	VPCLMULQDQ $0x11, Z8, part, part    \
	VPTERNLOGQ $0x96, offset(SI), Z4, part

// WJOIN multiplies a part on to the one behind it, and adds it. Z9 has the powers.
#define WJOIN(part, next) \
	VPCLMULQDQ $0x00, Z9, part, Z4      \
	VPCLMULQDQ $0x11, Z9, part, part    \
	VPTERNLOGQ $0x96, part, Z4, next

// QJOIN is WJOIN for 16 bytes. X10 has the powers.
#define QJOIN(part, next) \
	VPCLMULQDQ $0x00, X10, part, X4     \
	VPCLMULQDQ $0x11, X10, part, part   \
	VPXOR      X4, next, next           \
	VPXOR      part, next, next

// func checksumWide(at unsafe.Pointer, blocks int, w *wide) uint32
TEXT ·checksumWide(SB), NOSPLIT, $0-28
	MOVQ  at+0(FP), SI
	MOVQ  blocks+8(FP), CX
	MOVQ  w+16(FP), DX
	MOVL  $0xffffffff, AX
	VMOVD AX, X4
	VBROADCASTI32X4 0(DX), Z8
	VBROADCASTI32X4 16(DX), Z9
	VMOVDQU   32(DX), X10
	VMOVDQU64 0(SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	VPXORQ    Z4, Z0, Z0
	DECQ  CX
	JZ    join

block:
	ADDQ $256, SI
	WFOLD(Z0, 0)
	WFOLD(Z1, 64)
	WFOLD(Z2, 128)
	WFOLD(Z3, 192)
	DECQ CX
	JNZ  block

join:
	WJOIN(Z0, Z1)
	WJOIN(Z1, Z2)
	WJOIN(Z2, Z3)
	VEXTRACTI32X4 $1, Z3, X1
	VEXTRACTI32X4 $2, Z3, X2
	VEXTRACTI32X4 $3, Z3, X5
	QJOIN(X3, X1)
	QJOIN(X1, X2)
	QJOIN(X2, X5)
	VMOVQ   X5, R8
	VPEXTRQ $1, X5, R9
	VZEROUPPER
	XORQ    AX, AX
	CRC32Q  R8, AX
	CRC32Q  R9, AX
	NOTL    AX
	MOVL    AX, ret+24(FP)
	RET
