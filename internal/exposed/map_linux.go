package exposed

import "syscall"

// Map maps memory that takes room when it is touched.
func Map(bytes int) ([]byte, error) {
	const flags = syscall.MAP_ANON | syscall.MAP_PRIVATE | syscall.MAP_NORESERVE
	return syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, flags)
}

// Unmap can fail only for memory that is no mapping.
func Unmap(mapped []byte) { _ = syscall.Munmap(mapped) }

// DropPages returns pages to the system; they then read as zero. It returns false if the system does not take them,
// since they are locked.
func DropPages(pages []byte, shared bool) bool {
	advice := syscall.MADV_DONTNEED
	if shared {
		advice = syscall.MADV_REMOVE // for all processes that have them mapped
	}
	return syscall.Madvise(pages, advice) == nil
}
