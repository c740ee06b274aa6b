package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes put a process into a group of its own, and let the kernel end it when the thread that started it ends: the
// launcher's loop stays on one thread for that.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// awaitExit returns when the process has ended, and leaves it a zombie, so that its number and group can't be given to
// another one yet.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// isStopped reports whether a signal has stopped a process. One that a debugger holds is in another state.
func isStopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	name := bytes.LastIndexByte(stat, ')') // which may have any characters
	return err == nil && name >= 0 && bytes.HasPrefix(stat[name+1:], []byte(" T"))
}
