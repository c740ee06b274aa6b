package sim

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzNetwork reads files of networks: what is taken can be checked again, and no time in it is beyond bounds.
func FuzzNetwork(f *testing.F) {
	f.Add([]byte(`{"Name":"n","Host":{"Latency":1e-6},"RanksPerProcess":2}`))
	f.Add([]byte(`{"Host":{"Latency":-1}}`))
	f.Add([]byte(`{"Host":{"Latency":1e999}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "network.json")
		require.NoError(t, os.WriteFile(name, text, 0o600))
		n, err := Load(name)
		if err != nil {
			return
		}
		require.NoError(t, n.Check())
		for _, l := range []Link{n.Process, n.Host, n.Between} {
			require.True(t, l.Latency >= 0 && l.Latency <= spanMax)
		}
	})
}
