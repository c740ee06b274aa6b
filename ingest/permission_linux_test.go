package ingest

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file without the right to read is an error, for root too when its thread asks as somebody else.
func TestNoPermission(t *testing.T) {
	path := write(t, "data", []byte("a\n"))
	require.NoError(t, os.Chmod(path, 0))
	failed := make(chan error)
	go func() { // whose thread ends with it
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			_ = syscall.Setfsuid(65534)
		}
		f := file{Name: path, Size: 2}
		failed <- f.look(nil, 1)
	}()
	require.ErrorContains(t, <-failed, "permission denied: allow the user of the job to read it")
}
