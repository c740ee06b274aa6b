package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// sharedFolder is where files of shared memory are that have names. Our own have none.
const sharedFolder = "/dev/shm"

// removeLeftovers removes what libfabric's provider shm has left of a process that has ended, and whose number is
// nobody else's yet. Its files have names such as 4711:0:0: the process, the user, the endpoint. One of another user,
// or from before the process, is left alone.
func removeLeftovers(pid int, began time.Time) {
	user := os.Geteuid()
	pattern := filepath.Join(sharedFolder, fmt.Sprintf("%d:%d:*", pid, user))
	names, _ := filepath.Glob(pattern)  // fails for bad patterns only
	began = began.Truncate(time.Second) // times of files are coarse
	for _, name := range names {
		file, err := os.Lstat(name)
		if err != nil || !file.Mode().IsRegular() || file.ModTime().Before(began) {
			continue
		}
		if owner, ok := file.Sys().(*syscall.Stat_t); ok && int(owner.Uid) == user {
			_ = os.Remove(name) // another process of the job may have done it
		}
	}
}
