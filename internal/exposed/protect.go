package exposed

import "syscall"

// Protection is what the processor allows of memory.
type Protection int

// The protections.
const (
	NoAccess  Protection = syscall.PROT_NONE
	ReadOnly  Protection = syscall.PROT_READ
	ReadWrite Protection = syscall.PROT_READ | syscall.PROT_WRITE
)

// SystemPage is the bytes of the pages that have a protection of their own.
func SystemPage() int { return syscall.Getpagesize() }

// Protect sets what the processor allows of pages that [Map] has returned. It costs a system call.
func Protect(pages []byte, p Protection) error { return syscall.Mprotect(pages, int(p)) }
