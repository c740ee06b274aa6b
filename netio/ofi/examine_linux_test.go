//go:build amd64 || arm64

package ofi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What the library says of providers that every build of it has.
func TestExamine(t *testing.T) {
	needLibrary(t)
	f := Examine()
	require.Regexp(t, `^\d+\.\d+$`, f.Version)
	found := make(map[string]Provider)
	for _, p := range f.Providers {
		require.NotContains(t, found, p.Name)
		found[p.Name] = p
	}
	tcp := found["tcp"] // alone, from libfabric 1.18 on
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
