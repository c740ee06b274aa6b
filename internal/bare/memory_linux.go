package bare

import (
	"os"

	"golang.org/x/sys/unix"
)

func adviseHuge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }

// sharedFile is a file in memory that has no name.
func sharedFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("limit", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "limit"), nil
}
