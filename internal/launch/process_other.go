//go:build unix && !linux

package launch

import (
	"os/exec"
	"syscall"
)

// attributes put a process into a group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit returns when the process has ended. There is no way here to leave it a zombie.
func awaitExit(cmd *exec.Cmd) { cmd.Wait() }

// isStopped would report whether a signal has stopped a process. This system does not say so in a file.
func isStopped(int) bool { return false }
