package ofi

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process that is killed within a call of the provider shm may hold a lock in memory that it shares with the others.
// Another process's call that needs the lock then spins in C forever, with the way's lock held. So Unlink and Close
// wait for the way's lock for a limited time. The runtime leaves behind the ranks that wait for it, like all that do
// not return after a failure, and the job ends with the loss. Memory and endpoint stay as they are: the call may
// continue at any time.
const (
	stuckLimitLost  = 250 * time.Millisecond // after the loss of a process, if the provider has locks in shared memory
	stuckLimitOther = 2 * time.Second
)

func (w *Way) stuckLimit(lost bool) time.Duration {
	if lost && w.locks {
		return stuckLimitLost
	}
	return stuckLimitOther
}

// within calls f, and returns when f has returned or the limit is over. Then it reports false, and f continues.
func within(limit <-chan time.Time, f func()) bool {
	returned := make(chan struct{})
	go func() {
		f()
		close(returned)
	}()
	select {
	case <-returned:
		return true
	case <-limit:
		return false
	}
}

// abandon ends Close when a call does not return. It removes the files of an endpoint that cannot be closed.
func (w *Way) abandon() {
	w.left.Store(true)
	w.config.Log.Warn("a call of libfabric has not returned, and is left behind", "provider", w.provider)
	w.late.Stop()
	if w.provider != shmProvider {
		return
	}
	if name, pid := shmFile(w.address); pid == os.Getpid() {
		_ = os.Remove(name)
	}
	w.removeShmFiles()
}

func (w *Way) removeShmFiles() {
	for _, p := range w.linked {
		if p.onHost {
			removeShmFile(p.address)
		}
	}
}

const shmProvider = "shm"

// removeShmFile removes the file that the provider shm has made for another process, since a killed process leaves it
// behind. Its name is in the address. The file of a living process, or of another user, stays.
func removeShmFile(address []byte) {
	if name, pid := shmFile(address); pid > 0 && ended(pid) {
		_ = os.Remove(name) // may be gone, or another user's
	}
}

// shmFile returns the file of an endpoint of the provider shm and the process that made it, or 0.
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

// ended reports whether a process of this host has ended, even if its parent has not yet reaped it.
func ended(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	name := strings.LastIndex(string(stat), ") ") // end of the name
	return err == nil && name > 0 && strings.ContainsRune("ZX", rune(stat[name+2]))
}
