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

// func prefetchAt(at uintptr, bytes int)
TEXT ·prefetchAt(SB), NOSPLIT, $0-16
	JMP ·Prefetch(SB)

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func captured(function uintptr) (first, second uintptr)
TEXT ·captured(SB), NOSPLIT, $0-24
	MOVQ function+0(FP), AX
	MOVQ 8(AX), BX
	MOVQ 16(AX), CX
	MOVQ BX, first+8(FP)
	MOVQ CX, second+16(FP)
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
	CMPQ BX, $8
	JNE  others
	LEAQ (DI)(DI*2), R12
	SUBQ $4, DX
	JLT  fewer

four: // keys that index words
	MOVQ (SI), R8
	MOVQ (SI)(DI*1), R9
	MOVQ (SI)(DI*2), R10
	MOVQ (SI)(R12*1), R11
	ANDQ CX, R8
	ANDQ CX, R9
	ANDQ CX, R10
	ANDQ CX, R11
	PREFETCHT0 (AX)(R8*8)
	PREFETCHT0 (AX)(R9*8)
	PREFETCHT0 (AX)(R10*8)
	PREFETCHT0 (AX)(R11*8)
	LEAQ (SI)(DI*4), SI
	SUBQ $4, DX
	JGE  four

fewer:
	ADDQ $4, DX

others:
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

// func Caller() uintptr
TEXT ·Caller(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ 8(BP), AX
	MOVQ AX, ret+0(FP)
	RET

// func Callers(into *[CallersMost]uintptr)
//
// Each frame pointer leads to that of the caller, with the return address behind it. Stacks grow down, so a frame that
// does not lie above the last one is none.
TEXT ·Callers(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ into+0(FP), DI
	MOVQ BP, AX
	MOVQ $12, CX
call:
	TESTQ AX, AX
	JZ   end
	MOVQ 8(AX), BX
	MOVQ BX, (DI)
	ADDQ $8, DI
	DECQ CX
	JZ   end
	MOVQ (AX), DX
	CMPQ DX, AX
	JLS  end
	MOVQ DX, AX
	JMP  call
end:
	RET

// CALLED compares a return address with that in the array, and follows the frame pointer in from.
#define CALLED(from, to) \
	MOVQ 8(from), BX; \
	CMPQ BX, (DI); \
	JNE  no; \
	ADDQ $8, DI; \
	MOVQ (from), to; \
	CMPQ to, from; \
	JLS  end

// func CalledBy(calls *[CallersMost]uintptr) bool
//
// It walks the stack as Callers does, without a loop: it is called for each epoch.
TEXT ·CalledBy(SB), NOSPLIT|NOFRAME, $0-9
	MOVQ  calls+0(FP), DI
	MOVQ  BP, AX
	TESTQ AX, AX
	JZ    end
	CALLED(AX, DX)
	CALLED(DX, AX)
	CALLED(AX, DX)
	CALLED(DX, AX)
	CALLED(AX, DX)
	CALLED(DX, AX)
	CALLED(AX, DX)
	CALLED(DX, AX)
	CALLED(AX, DX)
	CALLED(DX, AX)
	CALLED(AX, DX)
	MOVQ  8(DX), BX
	CMPQ  BX, (DI)
	SETEQ ret+8(FP)
	RET
end:
	CMPQ  (DI), $0
	SETEQ ret+8(FP)
	RET
no:
	MOVB  $0, ret+8(FP)
	RET
