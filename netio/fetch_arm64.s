#include "textflag.h"

// func fetch(at unsafe.Pointer, bytes int)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVD at+0(FP), R0
	MOVD bytes+8(FP), R1
next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUBS $64, R1, R1
	BGT  next
	RET

// func relax()
TEXT ·relax(SB), NOSPLIT, $0-0
	YIELD
	RET
