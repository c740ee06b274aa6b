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
	if ended(n) {
		_ = os.Remove(filepath.Join("/dev/shm", name)) // it may be gone, or another user's
	}
}

// ended tells whether a process of this host has: also when whoever started it has yet to hear of that.
func ended(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	name := strings.LastIndex(string(stat), ") ") // the end of it
	return err == nil && name > 0 && strings.ContainsRune("ZX", rune(stat[name+2]))
}
