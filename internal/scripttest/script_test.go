package scripttest_test

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/activepebbles/pebbles/internal/scripttest"
)

// Scripts can be run as soon as they are written, while other goroutines start programs.
func TestWriteAndRun(t *testing.T) {
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 25 {
				file := filepath.Join(t.TempDir(), "script")
				scripttest.Write(t, file, "echo said")
				said, err := exec.Command(file).CombinedOutput()
				if err != nil || string(said) != "said\n" {
					t.Errorf("%s, %v", said, err)
				}
			}
		})
	}
	group.Wait()
}
