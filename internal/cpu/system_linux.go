package cpu

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Yield gives other processes this core, by sched_yield. It takes less than a microsecond if none wants the core, so it
// is a raw system call that bypasses the Go scheduler.
func Yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// adviseHuge advises huge pages for the whole pages of the memory.
func adviseHuge(memory []byte) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(&memory[0]))
	skip := -start & (page - 1)
	n := (uintptr(len(memory)) - skip) &^ (page - 1)
	_ = unix.Madvise(memory[skip:skip+n], unix.MADV_HUGEPAGE) // kernels without huge pages refuse
}
