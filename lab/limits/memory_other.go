//go:build unix && !linux

package limits

import (
	"os"
	"time"
)

func adviseHuge([]byte) {}

func yield() { time.Sleep(time.Microsecond) }

// sharedFile is a file that is unlinked at once.
func sharedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "limit")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}
