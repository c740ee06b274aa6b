package ofi

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// removeLeftovers removes the file that the provider shm has made for another process, by its name, which is in the address: a process that was killed
// leaves it behind. One that lives, or that is somebody else's, is left alone.
func removeLeftovers(address []byte) {
	name := strings.TrimRight(string(address), "\x00")
	if _, rest, ok := strings.Cut(name, "://"); ok {
		name = rest
	}
	pid, _, ok := strings.Cut(name, ":")
	n, err := strconv.Atoi(pid)
	if !ok || err != nil || n <= 0 || name != filepath.Base(name) {
		return
	}
	if syscall.Kill(n, 0) == syscall.ESRCH {
		_ = os.Remove(filepath.Join("/dev/shm", name)) // it may be gone, or another user's
	}
}
