package jobs

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// where names this host and the namespace of its process numbers.
func where() string {
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	return host + " " + space
}

// identify returns the identity of a running process. It includes the host's start, since times count from there.
func identify(pid int) (identity, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return identity{}, fmt.Errorf("no process %d can be seen: %w", pid, err)
	}
	ticks, err := started(stat)
	if err != nil {
		return identity{}, fmt.Errorf("process %d: %w", pid, err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return identity{}, err
	}
	return identity{where(), strings.TrimSpace(string(boot)) + " " + ticks}, nil
}

// started reads the start of a process, in ticks, from its status in /proc. The process's name comes in brackets and
// may contain any character, including brackets.
func started(stat []byte) (ticks string, err error) {
	const state, start = 0, 19 // fields after the name
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	switch {
	case len(fields) <= start:
		return "", fmt.Errorf("its stat is %q, which has no start", stat)
	case bytes.ContainsAny(fields[state], "ZX"):
		return "", errEnded
	}
	return string(fields[start]), nil
}
