//go:build !linux

package cpu

// Yield does nothing: this system has no cheap way to yield a core.
func Yield() {}

// QuietMonitor does nothing: this system has no such policy.
func QuietMonitor() {}

func adviseHuge([]byte) {}
