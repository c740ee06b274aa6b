// Package scripttest writes shell scripts that stand for programs in tests.
package scripttest

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Write makes a file an executable shell script of some lines.
func Write(t testing.TB, file, lines string) {
	t.Helper()
	// A child forked while the file is open to be written has it open as well until it runs its own program, and till then
	// the system refuses to run the file: "text file busy". So nobody of this process forks meanwhile.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+lines+"\n"), 0o700))
}
