//go:build amd64 || arm64

package ofi

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSignalsAreGos loads the library, which may take signals that are Go's, and finds that Go still hears of them.
func TestSignalsAreGos(t *testing.T) {
	needLibrary(t)
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGTERM)
	defer signal.Stop(heard)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	require.Equal(t, syscall.SIGTERM, <-heard)
	require.PanicsWithError(t, "runtime error: invalid memory address or nil pointer dereference", func() {
		var nothing *int
		*nothing = 1
	})
}

func needLibrary(t *testing.T) {
	if _, err := load(); err != nil {
		t.Skip(err)
	}
}
