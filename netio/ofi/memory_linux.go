package ofi

import (
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// mapped returns memory that is not Go's, for a fabric needs memory that stays in place. It returns nil if there is
// none.
func mapped(bytes int) []byte {
	mem, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return mem
}

// unmapped gives such memory back. It can fail only on other memory.
func unmapped(mem []byte) { _ = unix.Munmap(mem) }

// dropped gives pages back. They read as zero afterwards.
func dropped(mem []byte) { _ = unix.Madvise(mem, unix.MADV_DONTNEED) }

// pinnedDefault is the default bytes of registered memory: half of the available memory, and no more than may be
// locked.
func pinnedDefault(locks bool) int64 {
	half := cpu.MemoryAvailable() / 2
	var limit unix.Rlimit
	if locks && unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) == nil && limit.Cur < uint64(half) {
		return int64(limit.Cur)
	}
	return half
}
