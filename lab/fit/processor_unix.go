//go:build unix

package fit

import (
	"syscall"
	"time"
)

// Processor returns the processor time of this process, which other programs lengthen less than wall time.
func Processor(func() time.Duration) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("fit: getrusage of this process: " + err.Error()) // which cannot fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
