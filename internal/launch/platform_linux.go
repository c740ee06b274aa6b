package launch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes puts a process into its own group, and makes the kernel end it when the thread that started it ends:
// therefore the launcher's loop stays on one thread.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// awaitExit returns when the process has ended, and leaves it a zombie, so that its number and group can't be reused
// yet.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// isStopped reports whether a signal has stopped a process. A process held by a debugger is in another state.
func isStopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	name := bytes.LastIndexByte(stat, ')') // the name may have any characters
	return err == nil && name >= 0 && bytes.HasPrefix(stat[name+1:], []byte(" T"))
}

// processors returns the host of this process, the processors that it may use, and the number that it may use at a
// time. Processes of one host with the same processors share them.
func processors() (host, cpus string, cores int) {
	name, _ := os.Hostname() // distinguishes containers, whose limits differ
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	var set unix.CPUSet
	_ = unix.SchedGetaffinity(0, &set)
	sum := sha256.Sum256(fmt.Append(nil, set))
	host = name[:min(len(name), 64)] + "/" + strings.TrimSpace(string(boot))
	return host, hex.EncodeToString(sum[:8]), runtime.GOMAXPROCS(0)
}
