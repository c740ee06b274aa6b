#include "textflag.h"

// func fetch(at unsafe.Pointer, bytes int)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ bytes+8(FP), CX
next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	SUBQ $64, CX
	JGT  next
	RET

// func relax()
TEXT ·relax(SB), NOSPLIT, $0-0
	PAUSE
	RET
