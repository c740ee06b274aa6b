package jobs

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// where names this host, and the space that process numbers are from.
func where() string {
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	return host + " " + space
}

// identify is the identity of a process that runs. Times are since the host has started, so its start is in them.
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

// started reads when a process began, in ticks, from what the kernel tells of it. Its name comes in brackets, and may
// have any letter in it, brackets too.
func started(stat []byte) (ticks string, err error) {
	const state, start = 0, 19 // fields behind the name
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	switch {
	case len(fields) <= start:
		return "", fmt.Errorf("its stat is %q, which has no start", stat)
	case bytes.ContainsAny(fields[state], "ZX"):
		return "", errEnded
	}
	return string(fields[start]), nil
}
