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
	if name, pid := shmFile(address); pid > 0 && ended(pid) {
		_ = os.Remove(name) // it may be gone, or another user's
	}
}

// shmFile is the file of an endpoint of the provider shm, and who has made it; 0 is nobody.
func shmFile(address []byte) (name string, pid int) {
	name = strings.TrimRight(string(address), "\x00")
	if _, rest, ok := strings.Cut(name, "://"); ok {
		name = rest
	}
	first, _, ok := strings.Cut(name, ":")
	pid, err := strconv.Atoi(first)
	if !ok || err != nil || pid <= 0 || name != filepath.Base(name) {
		return "", 0
	}
	return filepath.Join("/dev/shm", name), pid
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
