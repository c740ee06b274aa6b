//go:build amd64 || arm64

package ofi

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// signalAction is the kernel's struct sigaction.
type signalAction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const signalMax = 64

// keepingSignals calls f and restores the signal actions that f has changed. Debian's libfabric loads a library that
// takes SIGINT, SIGTERM, SIGSEGV and more, and the provider shm takes some when it opens an endpoint. Go's runtime
// would miss these signals, or get them too late to panic.
func keepingSignals(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before [signalMax + 1]signalAction
	for s := 1; s <= signalMax; s++ {
		_ = action(s, nil, &before[s]) // fails on SIGKILL and SIGSTOP, which nothing takes
	}
	f()
	for s := 1; s <= signalMax; s++ {
		var now signalAction
		if action(s, nil, &now) == nil && now != before[s] {
			_ = action(s, &before[s], nil)
		}
	}
}

func action(number int, set, old *signalAction) error {
	const maskBytes = 8
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(number),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), maskBytes, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
