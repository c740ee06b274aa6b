package cpu

import (
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Yield gives other processes this core, by sched_yield. It takes less than a microsecond if none wants the core, so it
// is a raw system call that bypasses the Go scheduler.
func Yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// QuietMonitor lets the monitor thread of the Go runtime wait for a core that is in use, for the rest of the process.
// After a process had nothing to run, that thread wakes up some 50 times, 70 µs apart. Each time it takes about 30 µs
// of a rank's core: as long as a short run takes. As a thread of policy SCHED_BATCH it does not interrupt others when
// it wakes up. It is advice: it never fails, and changes only speed.
var QuietMonitor = sync.OnceFunc(func() {
	tasks, err := os.Open("/proc/self/task")
	if err != nil {
		return
	}
	defer tasks.Close()
	ids, _ := tasks.Readdirnames(2) // in the order in which they were made: the main thread, and then the monitor
	if len(ids) < 2 {
		return
	}
	id, err := strconv.Atoi(ids[1])
	if err != nil {
		return
	}
	// A policy that the user chose stays, and so does the nice value.
	if now, err := unix.SchedGetAttr(id, 0); err == nil && now.Policy == unix.SCHED_NORMAL {
		now.Policy = unix.SCHED_BATCH
		_ = unix.SchedSetAttr(id, now, 0)
	}
})

// adviseHuge advises huge pages for the whole pages of the memory.
func adviseHuge(memory []byte) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(&memory[0]))
	skip := -start & (page - 1)
	n := (uintptr(len(memory)) - skip) &^ (page - 1)
	_ = unix.Madvise(memory[skip:skip+n], unix.MADV_HUGEPAGE) // kernels without huge pages refuse
}
