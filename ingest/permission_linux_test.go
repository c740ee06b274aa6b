package ingest

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file without read permission is an error, even for root, if its thread acts as another user.
func TestNoPermission(t *testing.T) {
	path := write(t, "data", []byte("a\n"))
	require.NoError(t, os.Chmod(path, 0))
	failed := make(chan error)
	go func() { // its thread ends with it
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			_ = syscall.Setfsuid(65534)
		}
		f := file{Name: path, Size: 2}
		failed <- f.look(nil, 1)
	}()
	require.ErrorContains(t, <-failed, "permission denied: allow the user of the job to read it")
}
