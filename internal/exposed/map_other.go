//go:build !linux

package exposed

import "syscall"

// Map maps memory that takes room when it is touched.
func Map(bytes int) ([]byte, error) {
	return syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// Unmap unmaps memory from Map.
func Unmap(mapped []byte) { _ = syscall.Munmap(mapped) }

// DropPages makes pages zero. This system has no advice that frees pages at once.
func DropPages(pages []byte, _ bool) bool { clear(pages); return true }
