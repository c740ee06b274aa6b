#include "textflag.h"

// func Prefetch(at unsafe.Pointer, bytes int)
TEXT ·Prefetch(SB), NOSPLIT, $0-16
	MOVD at+0(FP), R0
	MOVD bytes+8(FP), R1
next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUBS $64, R1, R1
	BGT  next
	RET

// func prefetchAt(at uintptr, bytes int)
TEXT ·prefetchAt(SB), NOSPLIT, $0-16
	JMP ·Prefetch(SB)

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET

// func captured(function uintptr) (first, second uintptr)
TEXT ·captured(SB), NOSPLIT, $0-24
	MOVD function+0(FP), R0
	MOVD 8(R0), R1
	MOVD 16(R0), R2
	MOVD R1, first+8(FP)
	MOVD R2, second+16(FP)
	RET

// func Relax()
TEXT ·Relax(SB), NOSPLIT, $0-0
	YIELD
	RET

// func prefetchLow(table unsafe.Pointer, size uintptr, mask uint64, words unsafe.Pointer, stride uintptr, n int)
TEXT ·prefetchLow(SB), NOSPLIT, $0-48
	MOVD table+0(FP), R0
	MOVD size+8(FP), R1
	MOVD mask+16(FP), R2
	MOVD words+24(FP), R3
	MOVD stride+32(FP), R4
	MOVD n+40(FP), R5
	CMP  $0, R5
	BLE  done
next:
	MOVD (R3), R6
	AND  R2, R6, R6
	MADD R1, R0, R6, R6
	PRFM (R6), PLDL1KEEP
	ADD  R4, R3
	SUBS $1, R5, R5
	BGT  next
done:
	RET

// func Caller() uintptr
TEXT ·Caller(SB), NOSPLIT|NOFRAME, $0-8
	MOVD 8(R29), R0
	MOVD R0, ret+0(FP)
	RET

// func Callers(into *[CallersMost]uintptr)
TEXT ·Callers(SB), NOSPLIT|NOFRAME, $0-8
	MOVD into+0(FP), R0
	MOVD R29, R1
	MOVD $12, R2
call:
	CBZ  R1, end
	MOVD 8(R1), R3
	MOVD R3, (R0)
	ADD  $8, R0
	SUBS $1, R2, R2
	BEQ  end
	MOVD (R1), R4
	CMP  R1, R4
	BLS  end
	MOVD R4, R1
	B    call
end:
	RET

// func CalledBy(calls *[CallersMost]uintptr) bool
TEXT ·CalledBy(SB), NOSPLIT|NOFRAME, $0-9
	MOVD calls+0(FP), R0
	MOVD R29, R1
	MOVD $12, R2
call:
	MOVD (R0), R5
	CBZ  R1, end
	MOVD 8(R1), R3
	CMP  R3, R5
	BNE  no
	ADD  $8, R0
	SUBS $1, R2, R2
	BEQ  yes
	MOVD (R1), R4
	CMP  R1, R4
	BLS  last
	MOVD R4, R1
	B    call
last:
	MOVD (R0), R5
end:
	CBNZ R5, no
yes:
	MOVD $1, R3
	MOVB R3, ret+8(FP)
	RET
no:
	MOVB ZR, ret+8(FP)
	RET
