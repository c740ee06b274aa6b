#include "textflag.h"

// func Prefetch(at unsafe.Pointer, bytes int)
TEXT ·Prefetch(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ bytes+8(FP), CX
next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	SUBQ $64, CX
	JGT  next
	RET

// func Relax()
TEXT ·Relax(SB), NOSPLIT, $0-0
	PAUSE
	RET

// func prefetchLow(table unsafe.Pointer, size uintptr, mask uint64, words unsafe.Pointer, stride uintptr, n int)
TEXT ·prefetchLow(SB), NOSPLIT, $0-48
	MOVQ table+0(FP), AX
	MOVQ size+8(FP), BX
	MOVQ mask+16(FP), CX
	MOVQ words+24(FP), SI
	MOVQ stride+32(FP), DI
	MOVQ n+40(FP), DX
	TESTQ DX, DX
	JLE  done
next:
	MOVQ (SI), R8
	ANDQ CX, R8
	IMULQ BX, R8
	PREFETCHT0 (AX)(R8*1)
	ADDQ DI, SI
	DECQ DX
	JNZ  next
done:
	RET
