package ofi

import (
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// mapped returns memory outside the Go heap, since a fabric needs memory that stays in place, or nil.
func mapped(bytes int) []byte {
	mem, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return mem
}

// unmapped frees memory of mapped. It fails only on other memory.
func unmapped(mem []byte) { _ = unix.Munmap(mem) }

// dropped frees pages. They read as zero afterwards.
func dropped(mem []byte) { _ = unix.Madvise(mem, unix.MADV_DONTNEED) }

// pinnedDefault returns the default limit of registered memory: half of the available bytes, or fewer if locks are
// limited.
func pinnedDefault(locks bool) int64 {
	half := cpu.MemoryAvailable() / 2
	var limit unix.Rlimit
	if locks && unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) == nil && limit.Cur < uint64(half) {
		return int64(limit.Cur)
	}
	return half
}
