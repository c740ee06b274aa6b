package ingest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Describe returns the size of the files that patterns name as [Open] takes them, their number and the time of the last
// change, as text. Programs with checkpoints compare it to notice that their input has changed. Any goroutine may call
// it. It opens no file, and leaves out those that Open would refuse.
func Describe(patterns []string) string {
	n, bytes, last := 0, int64(0), time.Time{}
	look := func(name string, _ fs.DirEntry, _ error) error {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			n, bytes = n+1, bytes+info.Size()
			if info.ModTime().After(last) {
				last = info.ModTime()
			}
		}
		return nil
	}
	for _, pattern := range patterns {
		names := []string{pattern}
		if _, err := os.Lstat(pattern); err != nil {
			names, _ = filepath.Glob(pattern)
		}
		for _, name := range names {
			_ = filepath.WalkDir(name, look)
		}
	}
	if n == 0 {
		return "no files"
	}
	return fmt.Sprintf("files of %d bytes, %d in number, last changed %s", bytes, n, last.UTC().Format(time.RFC3339Nano))
}
