package watch

import (
	"bytes"
	"fmt"
	"os"
)

// traced reports whether a debugger has this process.
func traced() bool {
	status, err := os.ReadFile("/proc/self/status")
	_, after, found := bytes.Cut(status, []byte("TracerPid:"))
	return err == nil && found && !bytes.HasPrefix(bytes.TrimSpace(after), []byte("0\n"))
}

// stopped reports whether a process of this host is stopped by a signal.
func stopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := bytes.LastIndexByte(stat, ')') // of its name, which may be anything
	return err == nil && end >= 0 && bytes.HasPrefix(stat[end+1:], []byte(" T"))
}
