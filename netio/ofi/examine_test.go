package ofi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is missing is worked out from devices, providers and the limit.
func TestMissing(t *testing.T) {
	least := leastPinned(2)
	verbs, failing := Provider{Name: "verbs;ofi_rxm"}, Provider{Name: "verbs;ofi_rxm", Problem: "enable the endpoint: Invalid argument"}
	for name, c := range map[string]struct {
		finding Finding
		want    []string
	}{
		"nothing":            {Finding{Locked: 0, Providers: []Provider{{Name: "tcp"}}}, nil},
		"all there is":       {Finding{Devices: []string{"mlx5_0"}, Locked: -1, Providers: []Provider{verbs}}, nil},
		"just enough":        {Finding{Devices: []string{"mlx5_0"}, Locked: least, Providers: []Provider{verbs}}, nil},
		"a limit":            {Finding{Devices: []string{"mlx5_0"}, Locked: least - 1, Providers: []Provider{verbs}}, []string{"raise the limit (ulimit -l)"}},
		"a provider":         {Finding{Devices: []string{"mlx5_0"}, Locked: -1, Providers: []Provider{{Name: "tcp"}}}, []string{"install ibverbs-providers"}},
		"one that opens":     {Finding{Devices: []string{"mlx5_0"}, Locked: -1, Providers: []Provider{failing}}, []string{"no provider serves device mlx5_0"}},
		"that of Slingshot":  {Finding{Devices: []string{"cxi0"}, Locked: -1, Providers: []Provider{verbs}}, []string{"no provider serves device cxi0 (cxi would)"}},
		"of two devices one": {Finding{Devices: []string{"mlx5_0", "cxi0"}, Locked: -1, Providers: []Provider{verbs}}, []string{"cxi0"}},
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
