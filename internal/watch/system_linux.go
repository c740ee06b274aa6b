package watch

import (
	"bytes"
	"fmt"
	"os"
)

// traced reports whether this process is being debugged.
func traced() bool {
	status, _ := os.ReadFile("/proc/self/status")
	return hasTracer(status)
}

// hasTracer reports whether a process is traced, from its status in /proc.
func hasTracer(status []byte) bool {
	_, after, found := bytes.Cut(status, []byte("TracerPid:"))
	first, _, _ := bytes.Cut(bytes.TrimSpace(after), []byte("\n"))
	return found && string(first) != "0"
}

// stopped reports whether a process of this host is stopped by a signal.
func stopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := bytes.LastIndexByte(stat, ')') // end of its name, which may contain any character
	return err == nil && end >= 0 && bytes.HasPrefix(stat[end+1:], []byte(" T"))
}
