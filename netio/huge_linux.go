package netio

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge gives the advice for the pages that lie in the memory as a whole.
func adviseHuge(memory []byte) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(&memory[0]))
	skip := -start & (page - 1)
	n := (uintptr(len(memory)) - skip) &^ (page - 1)
	_ = unix.Madvise(memory[skip:skip+n], unix.MADV_HUGEPAGE) // kernels without huge pages refuse
}
