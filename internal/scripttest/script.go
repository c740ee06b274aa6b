// Package scripttest writes shell scripts that replace programs in tests.
package scripttest

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Write creates an executable shell script with the given lines.
func Write(t testing.TB, file, lines string) {
	t.Helper()
	// A child that is forked while the file is open for writing keeps it open until it executes its own program. Until
	// then the system refuses to run the file ("text file busy"). The lock keeps this process from forking meanwhile.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+lines+"\n"), 0o700))
}
