package exposed

import "syscall"

// Map maps memory that takes room when it is touched.
func Map(bytes int) ([]byte, error) {
	const flags = syscall.MAP_ANON | syscall.MAP_PRIVATE | syscall.MAP_NORESERVE
	return syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, flags)
}

// Unmap can fail only on what is no mapping.
func Unmap(mapped []byte) { _ = syscall.Munmap(mapped) }

// DropPages gives pages back, after which they read as zero. It reports false when the system does not take them: those
// that are locked in place.
func DropPages(pages []byte, shared bool) bool {
	advice := syscall.MADV_DONTNEED
	if shared {
		advice = syscall.MADV_REMOVE // for all who have them mapped
	}
	return syscall.Madvise(pages, advice) == nil
}
