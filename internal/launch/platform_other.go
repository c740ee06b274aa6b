//go:build !linux

package launch

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// attributes puts a process into its own group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit returns when the process has ended. This system cannot leave it a zombie.
func awaitExit(cmd *exec.Cmd) { cmd.Wait() }

// isStopped would report whether a signal has stopped a process. This system has no file with that state.
func isStopped(int) bool { return false }

// processors returns the host of this process, and the number of processors that it may use at a time. On this system,
// all processes may use all.
func processors() (host, cpus string, cores int) {
	name, _ := os.Hostname()
	return name[:min(len(name), 64)], "all", runtime.GOMAXPROCS(0)
}
