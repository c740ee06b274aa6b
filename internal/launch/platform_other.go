//go:build !linux

package launch

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// attributes put a process into a group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit returns when the process has ended. There is no way here to leave it a zombie.
func awaitExit(cmd *exec.Cmd) { cmd.Wait() }

// isStopped would report whether a signal has stopped a process. This system does not say so in a file.
func isStopped(int) bool { return false }

// processors says on which host this process runs, and how many processors it may use at a time. Here all processes may
// use all.
func processors() (host, cpus string, cores int) {
	name, _ := os.Hostname()
	return name[:min(len(name), 64)], "all", runtime.GOMAXPROCS(0)
}
