package export

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameExclusive renames unless the new name is taken. Some file systems do not support it.
func renameExclusive(from, to string) error { return renameBy(unix.RENAME_NOREPLACE, from, to) }

// exchange swaps two names atomically. Some file systems do not support it.
func exchange(a, b string) error { return renameBy(unix.RENAME_EXCHANGE, a, b) }

func renameBy(flags uint, from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
