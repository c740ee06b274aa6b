package ofi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMissing derives the missing parts from devices, providers and the limit.
func TestMissing(t *testing.T) {
	least := leastPinned(2)
	verbs := Provider{Name: "verbs;ofi_rxm"}
	failing := Provider{Name: "verbs;ofi_rxm", Problem: "enable the endpoint: Invalid argument"}
	with := func(all []Provider, devices ...string) Finding {
		return Finding{Devices: devices, Locked: -1, Providers: all}
	}
	for name, c := range map[string]struct {
		finding Finding
		want    []string
	}{
		"nothing":      {Finding{Locked: 0, Providers: []Provider{{Name: "tcp"}}}, nil},
		"all there is": {Finding{Devices: []string{"mlx5_0"}, Locked: -1, Providers: []Provider{verbs}}, nil},
		"just enough":  {Finding{Devices: []string{"mlx5_0"}, Locked: least, Providers: []Provider{verbs}}, nil},
		"a limit": {
			Finding{Devices: []string{"mlx5_0"}, Locked: least - 1, Providers: []Provider{verbs}},
			[]string{"raise the limit (ulimit -l)"},
		},
		"a provider":     {with([]Provider{{Name: "tcp"}}, "mlx5_0"), []string{"install ibverbs-providers"}},
		"one that opens": {with([]Provider{failing}, "mlx5_0"), []string{"no provider serves device mlx5_0"}},
		"that of Slingshot": {
			with([]Provider{verbs}, "cxi0"), []string{"no provider serves device cxi0 (cxi would)"},
		},
		"of two devices one": {with([]Provider{verbs}, "mlx5_0", "cxi0"), []string{"cxi0"}},
	} {
		c.finding.compare()
		require.Len(t, c.finding.Missing, len(c.want), name)
		for i, want := range c.want {
			require.Contains(t, c.finding.Missing[i], want, name)
		}
	}
}

func TestDevices(t *testing.T) {
	root := t.TempDir()
	require.Empty(t, devices(root))
	for _, d := range []string{"infiniband/mlx5_0", "infiniband/mlx5_1", "cxi/cxi0"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "sys/class", d), 0o700))
	}
	require.Equal(t, []string{"mlx5_0", "mlx5_1", "cxi0"}, devices(root))
}
