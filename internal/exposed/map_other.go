//go:build !linux

package exposed

import "syscall"

// reserve maps memory that takes room when it is touched.
func reserve(bytes int) ([]byte, error) {
	return syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func unmap(mapped []byte) { _ = syscall.Munmap(mapped) }

// dropPages makes pages zero. This system has no advice that gives back pages at once.
func dropPages(pages []byte, _ bool) bool { clear(pages); return true }
