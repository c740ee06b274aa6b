package exposed

import "syscall"

// Protection is the access that the processor allows to memory.
type Protection int

// Protections.
const (
	NoAccess  Protection = syscall.PROT_NONE
	ReadOnly  Protection = syscall.PROT_READ
	ReadWrite Protection = syscall.PROT_READ | syscall.PROT_WRITE
)

// SystemPage returns the size of a page, the unit of protection.
func SystemPage() int { return syscall.Getpagesize() }

// Protect sets the protection of pages from [Map]. It costs a system call.
func Protect(pages []byte, p Protection) error { return syscall.Mprotect(pages, int(p)) }
