package ofi

import (
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// mapped is memory that is not Go's: what a fabric uses must stay where it is. It is nil when there is none.
func mapped(bytes int) []byte {
	mem, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return mem
}

// unmapped gives it back. It can fail only on what is no mapping.
func unmapped(mem []byte) { _ = unix.Munmap(mem) }

// dropped gives pages back. They read as zero afterwards.
func dropped(mem []byte) { _ = unix.Madvise(mem, unix.MADV_DONTNEED) }

// pinnedDefault is how much memory may be registered by default: half of what there is, and no more than may be locked.
func pinnedDefault(locks bool) int64 {
	half := cpu.MemoryAvailable() / 2
	var limit unix.Rlimit
	if locks && unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) == nil && limit.Cur < uint64(half) {
		return int64(limit.Cur)
	}
	return half
}
