//go:build unix

package fit

import (
	"syscall"
	"time"
)

// processor is the time that this process has had of processors. Other programs don't stretch it as they do wall time.
func processor(func() time.Duration) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("fit: getrusage of this process: " + err.Error()) // which can't fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
