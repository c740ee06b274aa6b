//go:build unix && !linux

package limits

import (
	"os"
	"time"
)

func adviseHuge([]byte) {}

func yield() { time.Sleep(time.Microsecond) }

// sharedFile returns a file that is already unlinked.
func sharedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "limit")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}
