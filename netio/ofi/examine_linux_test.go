//go:build amd64 || arm64

package ofi

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamine checks the library's report of providers that every build has.
func TestExamine(t *testing.T) {
	needLibrary(t)
	f := Examine()
	require.Regexp(t, `^\d+\.\d+$`, f.Version)
	found := make(map[string]Provider)
	for _, p := range f.Providers {
		require.NotContains(t, found, p.Name)
		found[p.Name] = p
	}
	tcp := found["tcp"] // alone since libfabric 1.18
	if tcp.Name == "" {
		tcp = found["tcp;ofi_rxm"]
	}
	shm := found["shm"]
	for _, p := range []Provider{tcp, shm} {
		require.Empty(t, p.Problem, p.Name)
		require.True(t, p.MultiReceive, p.Name)
		require.False(t, p.Locks, p.Name)
		require.Greater(t, p.Largest, int64(1<<20), p.Name)
	}
	require.Equal(t, WaitsByDescriptor, tcp.Wait)
	require.Equal(t, WaitsBySleep, shm.Wait)
	require.Contains(t, shm.Registration, "FI_MR_VIRT_ADDR")
}

// TestSignalsAreGos requires that Go still gets its signals after the library is loaded and has opened endpoints.
func TestSignalsAreGos(t *testing.T) {
	before := actions()
	needLibrary(t)
	require.Equal(t, before, actions(), "after the load")
	require.NotEmpty(t, Examine().Providers)
	require.Equal(t, before, actions(), "after all providers were opened, and closed")
	f, err := openLibfabric("shm", "", 2)
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, before, actions(), "with an endpoint of shm")
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

func actions() (all [signalMax + 1]signalAction) {
	for s := range all {
		_ = action(s, nil, &all[s])
	}
	return all
}

func needLibrary(t *testing.T) {
	if _, err := load(); err != nil {
		t.Skip(err)
	}
}
